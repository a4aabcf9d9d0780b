import type { TrialRecord } from '../trialRecord.ts'
import type { Violation } from '../violation.ts'

/** I8: no merchant can read, change or list anything of another merchant's. */
export function foreignReads({ foreign, merchants, orders }: TrialRecord): Violation[] {
  const responded = foreign
    .filter(({ status }) => status !== 404)
    .map(({ request, status }): Violation => {
      return { invariant: 'I8', about: `${request} returned ${status}` }
    })
  const owners = new Map(orders.map(({ intentId, merchant }) => [intentId, merchant]))
  const isForeign = (id: string | null, merchant: number) =>
    id !== null && (owners.get(id) ?? merchant) !== merchant
  const listed = merchants.flatMap(({ intents, transfers, events, wallet }, merchant) => [
    ...intents.filter(({ id }) => isForeign(id, merchant)).map(({ id }) => id),
    ...transfers
      .filter(
        ({ payment_intent, to }) =>
          isForeign(payment_intent, merchant) || to.toLowerCase() !== wallet.toLowerCase(),
      )
      .map(({ id }) => id),
    ...events.filter(({ data }) => isForeign(String(data.object.id), merchant)).map(({ id }) => id),
  ])
  return [
    ...responded,
    ...listed.map((id): Violation => ({ invariant: 'I8', about: `${id} is in another's list` })),
  ]
}

/** I9: no key and no secret is anywhere in the clear. */
export function leakedSecrets({ texts, secrets }: TrialRecord): Violation[] {
  return texts.flatMap(({ where, text }) =>
    secrets
      .filter(({ value }) => text.includes(value))
      .map(({ name }): Violation => ({ invariant: 'I9', about: `${name} is in ${where}` })),
  )
}

/** I10: whatever is written under the lease is written by the process that took it last. */
export function writesWithoutLease({ leaseLog }: TrialRecord): Violation[] {
  let holder: string | null = null
  const violations: Violation[] = []
  for (const { writer, action } of leaseLog) {
    if (action === 'taken') holder = writer
    else if (writer !== holder) {
      violations.push({ invariant: 'I10', about: `${writer} wrote while ${holder} had the lease` })
    }
  }
  return violations
}
