export type { DevAccount } from './devChain/devAccounts.ts'
export {
  type DevChain,
  type DevChainOptions,
  type DevPayment,
  startDevChain,
} from './devChain/startDevChain.ts'
