import {
  type Chain,
  chainFactsOf,
  type Links,
  type PaymentIntent,
  type Receipt,
  type ResolvedPaymentIntent,
  type RetrievedPaymentIntent,
  type RetrievedPaymentIntentWithLinks,
  type Transfer,
} from '@payment-intents/contract'
import * as rules from '@payment-intents/rules'

/** A USDC transfer to a watched wallet. */
export type LedgerTransfer = rules.PresentableTransfer & {
  readonly chain: Chain
  readonly chainId: number
}

/** The answer of a creation. */
export function presentCreated(
  intent: rules.Intent,
  clientSecret: string,
  links: Links,
): PaymentIntent {
  const text = rules.withLinks(rules.presentCreated(intent), links)
  return JSON.parse(rules.withClientSecret(text, clientSecret))
}

/** The answer to a retrieval by id. */
export function presentById(intent: rules.Intent, links: Links): RetrievedPaymentIntentWithLinks {
  return JSON.parse(rules.withLinks(rules.presentInEvent(intent), links))
}

/** @param x402Token null as of a service without a relayer */
export function linksOf(
  { clientSecret, x402Token }: { clientSecret: string; x402Token: string | null },
  baseUrl: string,
): Links {
  return {
    page: `${baseUrl}/checkout/#${clientSecret}`,
    x402: x402Token && `${baseUrl}/x402/${x402Token}`,
  }
}

/** The intent in lists, events and the answers to acts. */
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
