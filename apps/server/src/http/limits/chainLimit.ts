import { limits } from '@payment-intents/contract'
import type { Limit } from './rateLimit.ts'

/** The limit of requests that each call a provider of the chain, below the limit of resolves. */
export function chainLimit(resolveLimit: Limit): Limit {
  const { max, chainMax } = limits.payerRequests
  return { ...resolveLimit, max: Math.ceil((resolveLimit.max * chainMax) / max) }
}
