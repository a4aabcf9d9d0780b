export { announceTestWallet, type WalletInfo } from './announceTestWallet.ts'
export {
  createTestWallet,
  type TestWallet,
  type TestWalletOptions,
  type WalletDecision,
  type WalletQuestion,
} from './createTestWallet.ts'
export type { WalletTransaction } from './readRequest.ts'
