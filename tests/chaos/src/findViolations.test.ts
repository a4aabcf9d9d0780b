import { describe, expect, test } from 'vitest'
import { findViolations } from './findViolations.ts'
import { arrivalOf, event, honestRecord } from './honestRecord.ts'
import type { Event, MerchantRecord, TrialRecord } from './trialRecord.ts'
import type { Invariant } from './violation.ts'

const { merchants, orders, chain, arrivals, leaseLog } = honestRecord
const [firstMerchant, secondMerchant] = merchants as [MerchantRecord, MerchantRecord]
const [arrival] = arrivals as [TrialRecord['arrivals'][number]]
const [inclusion] = chain.inclusions as [TrialRecord['chain']['inclusions'][number]]
const [order] = orders as [TrialRecord['orders'][number]]
const [intent] = firstMerchant.intents as [MerchantRecord['intents'][number]]
const [transfer, stray] = firstMerchant.transfers as [
  MerchantRecord['transfers'][number],
  MerchantRecord['transfers'][number],
]

/** The first merchant's lists, or the whole record, as a bug would leave them. */
const merchant = (change: Partial<MerchantRecord>): Partial<TrialRecord> => ({
  merchants: [{ ...firstMerchant, ...change }, secondMerchant],
})
/** The first merchant's events, read by cursor and delivered as they are listed. */
const withEvents = (events: readonly Event[], change: Partial<MerchantRecord> = {}) => ({
  ...merchant({ events, followed: events.map(({ id }) => id), ...change }),
  arrivals: events.map((event) => arrivalOf(event)),
})
const withIntent = (change: Partial<typeof intent>): Partial<MerchantRecord> => {
  const changed = { ...intent, ...change }
  return { intents: [changed], retrieved: new Map([[intent.id, changed]]) }
}
const renumbered = (events: readonly Event[]): Event[] =>
  events.map((event, index) => ({ ...event, id: `evt_${index}`, sequence: index + 1 }))

function broken(change: Partial<TrialRecord>): Invariant[] {
  const invariants = findViolations({ ...honestRecord, ...change }).map(
    ({ invariant }) => invariant,
  )
  const others = invariants.filter((invariant) => invariant !== 'unsettled')
  // A broken invariant may also keep an order from completing.
  return [...new Set(others.length > 0 ? others : invariants)]
}

test('a run without a fault breaks nothing', () => {
  expect(findViolations(honestRecord)).toEqual([])
})

describe('each bug breaks the invariant that it is about, and no other', () => {
  const [created, pending, succeeded, unmatched] = firstMerchant.events as [
    Event,
    Event,
    Event,
    Event,
  ]
  const twin = { ...intent, ...created.data.object, id: 'pi_2', amount_received_units: 0 }
  const strange = { ...twin, metadata: { order: 'order-2' } }
  const bugs: [Invariant, string, Partial<TrialRecord>][] = [
    ['I1', 'an intent is gone', merchant({ retrieved: new Map([[intent.id, null]]) })],
    [
      'I1',
      'an intent has another price than was acknowledged',
      merchant({ retrieved: new Map([[intent.id, { ...intent, amount_units: 99 }]]) }),
    ],
    [
      'I2',
      'one key made two intents',
      withEvents([...firstMerchant.events, { ...event(1, created.type, twin), id: 'evt_5' }], {
        intents: [intent, twin],
      }),
    ],
    [
      'I2',
      'there is an intent without a creation',
      withEvents([...firstMerchant.events, { ...event(1, created.type, strange), id: 'evt_5' }], {
        intents: [intent, strange],
      }),
    ],
    [
      'I2',
      'a replay differs by a space',
      { orders: [{ ...order, responses: [order.responses[0] ?? '', ` ${order.responses[0]}`] }] },
    ],
    [
      'I3',
      'it succeeded on a branch that is gone, after one confirmation',
      { chain: { ...chain, inclusions: [{ ...inclusion, deepestHead: 11 }] } },
    ],
    [
      'I3',
      'it succeeded with less than its price',
      {
        ...merchant({
          transfers: [{ ...transfer, amount_units: 50 }, stray],
          ...withIntent({ amount_received_units: 50 }),
        }),
        payments: honestRecord.payments.map((payment) =>
          payment.intentId ? { ...payment, amount: 50n } : payment,
        ),
        chain: {
          ...chain,
          logs: chain.logs.map((log) => (log.reference ? { ...log, amount: 50n } : log)),
        },
      },
    ],
    [
      'I4',
      'a transfer is not listed',
      withEvents([created, pending, succeeded], { transfers: [transfer] }),
    ],
    ['I4', 'an unmatched transfer has no event', withEvents([created, pending, succeeded])],
    [
      'I4',
      'a transfer is listed in another block',
      merchant({ transfers: [{ ...transfer, block_number: 11 }, stray] }),
    ],
    [
      'I5',
      'it succeeded without having been pending',
      withEvents(renumbered([created, succeeded]).concat({ ...unmatched })),
    ],
    [
      'I5',
      'a sequence has a gap',
      withEvents([created, pending, { ...succeeded, sequence: 4 }, unmatched]),
    ],
    [
      'I5',
      'it succeeded twice, and was not reversed',
      withEvents([
        ...renumbered([created, pending, succeeded, succeeded]),
        { ...unmatched, id: 'evt_9' },
      ]),
    ],
    [
      'I5',
      'a checkout was shown an earlier version again',
      {
        resolved: [...honestRecord.resolved, { intentId: 'pi_1', version: 2, status: 'succeeded' }],
      },
    ],
    ['I6', 'a transition has no event', withEvents([created, pending, unmatched])],
    [
      'I6',
      'the cursor passed an event over',
      merchant({ followed: firstMerchant.followed.filter((id) => id !== pending.id) }),
    ],
    [
      'I6',
      'a checkout was shown a state that no event has',
      { resolved: [{ intentId: 'pi_1', version: 2, status: 'expired' }] },
    ],
    ['I6', 'an event was never delivered', { arrivals: arrivals.slice(1) }],
    [
      'I6',
      'an event was refused, and not sent again',
      { arrivals: arrivals.map((arrival, index) => ({ ...arrival, taken: index !== 1 })) },
    ],
    [
      'I6',
      'a delivery is signed with another secret',
      {
        arrivals: firstMerchant.events.map((event) =>
          arrivalOf(event, { path: '', secret: `whsec_${'A'.repeat(44)}`, types: null }),
        ),
      },
    ],
    [
      'I6',
      'a delivery is replayed an hour later',
      { arrivals: [...arrivals, { ...arrival, at: 1_800_003_600_000 }] },
    ],
    [
      'I6',
      'a delivery differs from the list',
      { arrivals: [...arrivals, arrivalOf({ ...pending, sequence: 7 })] },
    ],
    [
      'I6',
      'an endpoint got an event of a type that it did not select',
      merchant({
        endpoints: firstMerchant.endpoints.map((endpoint) => ({
          ...endpoint,
          types: [pending.type],
        })),
      }),
    ],
    [
      'I6',
      'a redirect was followed',
      { arrivals: [...arrivals, { ...arrival, endpoint: 'elsewhere' }] },
    ],
    [
      'I7',
      'a log is credited twice',
      merchant({
        transfers: [transfer, { ...transfer, id: 'tr_3' }, stray],
        ...withIntent({ amount_received_units: 202 }),
      }),
    ],
    [
      'I7',
      'a transfer is credited to an intent that it did not mean',
      merchant({
        transfers: [transfer, { ...stray, payment_intent: 'pi_1' }],
        ...withIntent({ amount_received_units: 108 }),
      }),
    ],
    [
      'I7',
      'a transfer that the chain took back still counts',
      merchant({
        transfers: [
          transfer,
          stray,
          { ...stray, id: 'tr_3', log_index: 5, payment_intent: 'pi_1' },
        ],
        ...withIntent({ amount_received_units: 108 }),
      }),
    ],
    [
      'I7',
      'a listed transfer was never sent',
      { payments: honestRecord.payments.filter(({ reference }) => reference) },
    ],
    ['I7', 'a sum is wrong', merchant(withIntent({ amount_received_units: 102 }))],
    ['I8', "a key reads another merchant's intent", { foreign: [{ request: 'GET', status: 200 }] }],
    [
      'I8',
      "another merchant's transfer is in a list",
      {
        merchants: [
          firstMerchant,
          { ...secondMerchant, transfers: [{ ...stray, orphaned: true }] },
        ],
      },
    ],
    [
      'I9',
      'an API key is in a log line',
      { texts: [{ where: 'a log', text: '{"authorization":"Bearer sk_test_0123456789"}' }] },
    ],
    [
      'I10',
      'a process wrote after another process had taken its lease',
      { leaseLog: [...leaseLog, { writer: 'server-0-1', action: 'written' }] },
    ],
    [
      'unsettled',
      'a payment stays pending',
      {
        ...withEvents(
          [created, pending, unmatched],
          withIntent({ status: 'pending_confirmations' }),
        ),
        resolved: [],
      },
    ],
    ['unsettled', 'a server ended by itself', { ended: ['server-0-1 ended with 1'] }],
  ]
  test.each(bugs)('%s: %s', (invariant, _bug, change) => {
    expect(broken(change)).toEqual([invariant])
  })
})
