import { isDeepStrictEqual } from 'node:util'
import type { Intent, TrialRecord } from '../trialRecord.ts'
import type { Violation } from '../violation.ts'

/** Fields of a creation's response that change later, or that only this response has. */
const passing = new Set(['client_secret', 'status', 'expires_in_minutes'])

/** I1: an intent whose creation was acknowledged can be retrieved as it was acknowledged. */
export function lostCreations({ orders, merchants }: TrialRecord): Violation[] {
  return orders.flatMap(({ key, merchant, intentId, responses }): Violation[] => {
    const retrieved = merchants[merchant]?.retrieved.get(intentId)
    if (!retrieved) return [{ invariant: 'I1', about: `${intentId} of ${key} cannot be retrieved` }]
    const created: Intent = JSON.parse(responses[0] ?? '{}')
    const changed = Object.keys(created).filter(
      (field) => !passing.has(field) && !isDeepStrictEqual(created[field], retrieved[field]),
    )
    if (changed.length === 0) return []
    return [
      { invariant: 'I1', about: `${intentId} has another ${changed.join(', ')} than created` },
    ]
  })
}

/** I2: one idempotency key makes one intent, and every server returns the same bytes for it. */
export function repeatedCreations({ orders, merchants }: TrialRecord): Violation[] {
  const differing = orders
    .filter(({ responses }) => new Set(responses).size !== 1)
    .map(({ key }): Violation => ({ invariant: 'I2', about: `${key} got different responses` }))
  // Each order's metadata has its key.
  const intents = merchants.flatMap((merchant) => merchant.intents)
  const byKey = Map.groupBy(intents, ({ metadata }) => metadata.order)
  const mismatched = orders.filter(({ key, intentId }) => {
    const made = byKey.get(key) ?? []
    return made.length !== 1 || made[0]?.id !== intentId
  })
  const orderKeys = new Set(orders.map(({ key }) => key))
  const strange = [...byKey.keys()].filter((key) => !orderKeys.has(String(key)))
  return [
    ...differing,
    ...mismatched.map(({ key }): Violation => {
      const ids = (byKey.get(key) ?? []).map(({ id }) => id)
      return { invariant: 'I2', about: `${key} made ${ids.join(', ') || 'nothing'}` }
    }),
    ...strange.map((key): Violation => ({ invariant: 'I2', about: `nobody created ${key}` })),
  ]
}
