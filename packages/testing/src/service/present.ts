import {
  type Chain,
  chainFactsOf,
  type PaymentIntent,
  type Receipt,
  type ResolvedPaymentIntent,
  type RetrievedPaymentIntent,
  type Transfer,
} from '@payment-intents/contract'
import * as rules from '@payment-intents/rules'

/** A USDC transfer to a watched wallet. */
export type LedgerTransfer = rules.PresentableTransfer & {
  readonly chain: Chain
  readonly chainId: number
}

/** The answer of a creation, the only one with the client secret. */
export function presentCreated(intent: rules.Intent, clientSecret: string): PaymentIntent {
  return JSON.parse(rules.withClientSecret(rules.presentCreated(intent), clientSecret))
}

/** The intent in later answers and in events. */
export function presentRetrieved(intent: rules.Intent): RetrievedPaymentIntent {
  return JSON.parse(rules.presentInEvent(intent))
}

/** @returns null unless the intent is paid for good */
export function presentReceipt(intent: rules.Intent, merchantName: string): Receipt | null {
  const text = rules.presentReceipt(intent, merchantName)
  return text && JSON.parse(text)
}

/** The answer to the checkout. */
export function presentResolved(
  intent: rules.Intent,
  known: Omit<Parameters<typeof rules.presentResolved>[1], 'network'>,
): ResolvedPaymentIntent {
  const { name, nativeSymbol, publicRpcUrl: rpcUrl, explorerUrl } = chainFactsOf(intent.chainId)
  const network = { name, nativeSymbol, rpcUrl, explorerUrl }
  return JSON.parse(rules.presentResolved(intent, { ...known, network }))
}

export function presentTransfer(transfer: LedgerTransfer): Transfer {
  return rules.presentTransfer(transfer, chainFactsOf(transfer.chainId))
}
