import { isRelayed, isReorged } from './parseIntent.ts'
import type { CheckoutState } from './state.ts'

/**
 * What may still pay, so that the checkout does not ask for the money again: open requests and a reorganised
 * payment, except those that the payer is sure were not sent; and an authorization that the service says is on its way.
 */
export function doubts({ intent, requests, insistedOn }: CheckoutState): readonly string[] {
  const reorged = isReorged(intent) && !intent?.exceptions.includes('underpaid')
  const all = [...requests.map(({ id }) => id), ...(reorged ? ['reorged'] : [])]
  const rest = all.filter((doubt) => !insistedOn.includes(doubt))
  return isRelayed(intent) ? [...rest, 'authorization'] : rest
}
