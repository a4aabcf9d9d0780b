export { announceTestWallet, type WalletInfo } from './announceTestWallet.ts'
export {
  createTestWallet,
  type TestWallet,
  type TestWalletOptions,
  type WalletQuestion,
} from './createTestWallet.ts'
export type { TypedData } from './requests/readTypedData.ts'
export type { WalletTransaction } from './requests/requestParams.ts'
export type { WalletDecision } from './submit.ts'
