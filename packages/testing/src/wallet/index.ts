export { announceTestWallet, type WalletInfo } from './announceTestWallet.ts'
export {
  createTestWallet,
  type TestWallet,
  type TestWalletOptions,
  type WalletQuestion,
} from './createTestWallet.ts'
export type { WalletTransaction } from './readRequest.ts'
export type { TypedData } from './readTypedData.ts'
export type { WalletDecision } from './submit.ts'
