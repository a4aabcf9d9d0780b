export {
  type DevAccount,
  type DevChain,
  type DevChainOptions,
  type DevPayment,
  startDevChain,
} from './startDevChain.ts'
