import type { Event, MerchantRecord, TrialRecord } from '../trialRecord.ts'
import type { Violation } from '../violation.ts'

type Move = readonly [from: string, to: string]

const open = 'requires_payment'
const pending = 'pending_confirmations'
const all = [open, pending, 'succeeded', 'expired', 'canceled']
const stays: readonly Move[] = all.map((status) => [status, status])

/** The changes of status that each event may report. */
const legal: Readonly<Record<string, readonly Move[]>> = {
  'payment_intent.created': [['', open]],
  'payment_intent.pending_confirmations': [
    [open, pending],
    ['expired', pending],
    ['canceled', pending],
  ],
  'payment_intent.succeeded': [
    [pending, 'succeeded'],
    // After it was reversed, which is seen to below.
    ['succeeded', 'succeeded'],
  ],
  'payment_intent.expired': [[open, 'expired']],
  'payment_intent.canceled': [[open, 'canceled']],
  'payment_intent.underpaid': [
    [open, open],
    ['expired', 'expired'],
  ],
  'payment_intent.overpaid': [
    [pending, pending],
    ['succeeded', 'succeeded'],
  ],
  'payment_intent.paid_late': [
    ['expired', 'expired'],
    ['canceled', 'canceled'],
  ],
  'payment_intent.reorged': [[pending, open], ...stays],
  'payment_intent.reversed': [['succeeded', 'succeeded']],
  'payment_intent.transfer_moved': stays,
}

/** I5: sequences have no gaps, and no event makes an illegal transition. */
export function illegalTransitions({ merchants, resolved }: TrialRecord): Violation[] {
  const steps = merchants.flatMap((merchant) =>
    [...bySubject(merchant)].flatMap(([subject, events]) =>
      faultsOf(events).map((fault): Violation => {
        return { invariant: 'I5', about: `${subject}: ${fault}` }
      }),
    ),
  )
  const back = [...Map.groupBy(resolved, ({ intentId }) => intentId)]
    .filter(([, bodies]) =>
      bodies.some(({ version }, index) => version < (bodies[index - 1]?.version ?? 0)),
    )
    .map(([intentId]): Violation => {
      return { invariant: 'I5', about: `${intentId} went back to an earlier version` }
    })
  return [...steps, ...back]
}

/** I6: every transition has one event, and a reader with a cursor gets each of them once. */
export function missingEvents({ merchants, resolved }: TrialRecord): Violation[] {
  const violations: Violation[] = []
  const complain = (about: string) => violations.push({ invariant: 'I6', about })
  for (const [number, merchant] of merchants.entries()) {
    const { intents, events, followed } = merchant
    const listed = events.map(({ id }) => id)
    if (new Set(listed).size < listed.length)
      complain(`an event of merchant ${number} is listed twice`)
    const first = listed.findIndex((id, index) => id !== followed[index])
    if (first >= 0 || followed.length > listed.length) {
      const at = first >= 0 ? first : listed.length
      complain(`by cursor, event ${at} of merchant ${number} is ${followed[at]}, not ${listed[at]}`)
    }
    const ofIntents = bySubject(merchant)
    for (const { id, status } of intents) {
      const about = ofIntents.get(id) ?? []
      const last = about.at(-1)?.data.object.status
      if (last !== status) complain(`${id} is ${status}, and its last event says ${last}`)
      const resolvedVersions = resolved.filter(({ intentId }) => intentId === id)
      const shown = new Set(about.map(({ data }) => data.object.status))
      const unseen = resolvedVersions.find((resolved) => !shown.has(resolved.status))
      if (unseen) complain(`${id} was ${unseen.status}, and no event says so`)
    }
  }
  return violations
}

function faultsOf(events: readonly Event[]): string[] {
  const faults: string[] = []
  const sequences = events.map(({ sequence }) => sequence)
  if (sequences.some((sequence, index) => sequence !== index + 1)) {
    faults.push(`its events are numbered ${sequences.join(', ')}`)
  }
  let status = ''
  let isReversed = false
  for (const { type, data } of events) {
    if (!type.startsWith('payment_intent.')) continue
    const next = String(data.object.status)
    const isLegal = legal[type]?.some(([from, to]) => from === status && to === next)
    const isRepeated = type === 'payment_intent.succeeded' && status === 'succeeded' && !isReversed
    if (!isLegal || isRepeated) faults.push(`${type} led from ${status || 'nothing'} to ${next}`)
    if (type === 'payment_intent.reversed') isReversed = true
    if (type === 'payment_intent.succeeded') isReversed = false
    status = next
  }
  return faults
}

/** Events by what they are about, in the order of their sequences. */
function bySubject({ events }: MerchantRecord): Map<string, Event[]> {
  const grouped = Map.groupBy(events, ({ data }) => String(data.object.id))
  for (const group of grouped.values()) group.sort((a, b) => a.sequence - b.sequence)
  return grouped
}
