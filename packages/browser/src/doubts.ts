import type { CheckoutState } from './state.ts'

/**
 * What may still pay, and keeps the checkout from asking for the money again: requests that no proof has
 * ended, and a payment that the chain took back. Without those that the payer is sure of.
 */
export function doubts({ intent, requests, insistedOn }: CheckoutState): readonly string[] {
  const reorged = intent?.exceptions.includes('reorged') && !intent.exceptions.includes('underpaid')
  const all = [...requests.map(({ id }) => id), ...(reorged ? ['reorged'] : [])]
  return all.filter((doubt) => !insistedOn.includes(doubt))
}
