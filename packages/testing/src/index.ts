export type { DevAccount } from './devAccounts.ts'
export {
  type DevChain,
  type DevChainOptions,
  type DevPayment,
  startDevChain,
} from './startDevChain.ts'
