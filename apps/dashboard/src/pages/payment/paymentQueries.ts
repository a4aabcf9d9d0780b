import type { TimelineEntry } from '@payment-intents/contract'
import { queryOptions } from '@tanstack/react-query'
import { read } from '../../api/api.ts'

const pollMs = 1_000
/** Longer than the first wait between attempts, and than the offset between the clocks. */
const soonMs = 10_000
/** A delivery that is due for longer belongs to a disabled endpoint, which receives nothing. */
const overdueMs = 60_000

export const paymentQuery = (id: string) =>
  queryOptions({
    queryKey: ['payments', 'one', id],
    queryFn: ({ signal }) => read('/v1/payment_intents/{id}', { id }, signal),
  })

export const timelineQuery = (id: string) =>
  queryOptions({
    queryKey: ['timeline', id],
    queryFn: ({ signal }) => read('/v1/payment_intents/{id}/timeline', { id }, signal),
    // No event says that a webhook was delivered.
    refetchInterval: ({ state }) => (state.data?.data.some(isDue) ? pollMs : false),
  })

/** Whether a delivery is about to be sent. */
export function isDue(entry: TimelineEntry): boolean {
  if (entry.type !== 'delivery' || entry.status !== 'pending') return false
  const { next_attempt_at: next } = entry
  const wait = next === null ? Number.NaN : Date.parse(next) - Date.now()
  return wait <= soonMs && wait > -overdueMs
}
