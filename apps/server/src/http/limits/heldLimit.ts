import { rateLimited } from '@payment-intents/core'

/**
 * Counts a request until the returned function is called.
 * @throws {HttpError} `rate_limited` beyond a limit
 */
export type Hold = (key: string, merchantId: string) => () => void

/**
 * Limits the number of requests that are held at once.
 *
 * @param limits `key` is the limit of each API key or person
 */
export function createHeldLimit(limits: { readonly key: number; readonly merchant: number }): Hold {
  const ofKeys = createCounter(limits.key)
  const ofMerchants = createCounter(limits.merchant)
  return (key, merchantId) => {
    if (ofKeys.isFull(key) || ofMerchants.isFull(merchantId)) throw rateLimited(1)
    ofKeys.add(key)
    ofMerchants.add(merchantId)
    return () => {
      ofKeys.remove(key)
      ofMerchants.remove(merchantId)
    }
  }
}

function createCounter(limit: number) {
  const counts = new Map<string, number>()
  return {
    isFull: (key: string) => (counts.get(key) ?? 0) >= limit,
    add: (key: string) => void counts.set(key, (counts.get(key) ?? 0) + 1),
    remove(key: string) {
      const remaining = (counts.get(key) ?? 0) - 1
      if (remaining > 0) counts.set(key, remaining)
      else counts.delete(key)
    },
  }
}
