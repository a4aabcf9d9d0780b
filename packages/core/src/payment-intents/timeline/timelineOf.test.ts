import { limits } from '@payment-intents/contract'
import { expect, test } from 'vitest'
import type { Intent } from '../intent.ts'
import { timelineOf } from './timelineOf.ts'
import type { TimelineRecords, TimelineTransfer } from './timelineRecords.ts'

const intent = {
  createdAt: 1_000,
  openedAt: 3_000,
  txHash: '0x1',
  confirmations: 2,
} as unknown as Intent
const noRecords: TimelineRecords = {
  ...{ events: [], transfers: [], authorizations: [], deliveries: [], refunds: [] },
}

const transfer = (number: number): TimelineTransfer => ({
  ...{ id: `tr_${number}`, txHash: `0x${number}`, amount: 5n, blockNumber: 7n, blockTimestamp: 2 },
  ...{ from: `0x${'1'.repeat(40)}`, boundBy: 'reference', orphaned: false },
  seenAt: 4_000 + number,
})

test('orders what happened by time, with causes first', () => {
  const { data, truncated } = timelineOf(intent, {
    ...noRecords,
    events: [
      { id: 'evt_1', type: 'payment_intent.created', refundId: null, time: 1_000 },
      { id: 'evt_2', type: 'payment_intent.succeeded', refundId: null, time: 4_001 },
    ],
    transfers: [transfer(2), transfer(1)],
  })
  expect(data.map((entry) => [entry.type, Date.parse(entry.time)])).toEqual([
    ['created', 1_000],
    ['event', 1_000],
    ['opened', 3_000],
    ['transfer', 4_001],
    ['event', 4_001],
    ['transfer', 4_002],
  ])
  expect(data[3]).toMatchObject({ tx_hash: '0x1', confirmations: 2 })
  expect(data[5]).toMatchObject({ tx_hash: '0x2', confirmations: null })
  expect(truncated).toBe(false)
})

test.each([
  ['transfers', limits.timeline.transfers, transfer],
  [
    'events',
    limits.timeline.events,
    (n: number) => ({ id: `evt_${n}`, type: 'refund.created', refundId: null, time: n }),
  ],
  [
    'refunds',
    limits.timeline.others,
    (n: number) => ({ id: `re_${n}`, status: 'pending', amount: 1n, txHash: null, time: n }),
  ],
] as const)('says that %s are left out', (kind, max, make) => {
  const records = (count: number) =>
    ({ ...noRecords, [kind]: Array.from({ length: count }, (_, n) => make(n)) }) as TimelineRecords
  const timeline = timelineOf(intent, records(max))
  const cut = timelineOf(intent, records(max + 1))
  expect([timeline.truncated, cut.truncated]).toEqual([false, true])
  expect(cut.data).toHaveLength(2 + max)
})
