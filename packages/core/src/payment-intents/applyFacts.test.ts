import { describe, expect, test } from 'vitest'
import { applyFacts } from './applyFacts.ts'
import { newIntent } from './creation/newIntent.ts'
import type { Fact } from './transition.ts'

const price = 10_000_000n

const open = newIntent(
  {
    ...{ id: 'pi_1', merchantId: 'mer_1', mode: 'testnet', chain: 'base', chainId: 84532 },
    ...{ token: '0x036cbd53842c5426634e7929541ec2318f3dcf7e', wallet: `0x${'02'.repeat(20)}` },
    ...{ amount: price, reference: '0x03', salt: '0x04', confirmationsRequired: 3, lane: 'sdk' },
    paymentLink: null,
    ...{ metadata: '{}', createdAt: 0, expiresAt: 1_000, expiresInMinutes: 30 },
  },
  { payable: price, referenceOnly: true },
)

/** Parts of a payment, in one transaction. */
function pieces(count: number, amount: bigint): Fact[] {
  return Array.from({ length: count }, (_, index) => ({
    type: 'transfer_seen',
    transfer: {
      ...{ id: `tr_${index}`, txHash: '0x01', blockNumber: 10n, blockTimestamp: 900 },
      ...{ logIndex: index, amount, boundBy: 'reference' },
    },
  }))
}

function applied(facts: readonly Fact[]) {
  const { intent, events } = applyFacts(open, facts)
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 2))
  expect(intent.sequence).toBe(open.sequence + events.length)
  return events.map(({ type, object }) => {
    return [type.replace('payment_intent.', ''), JSON.parse(object).amount_received_units]
  })
}

// An underpayment has no more parts: below a hundredth of the price, a part is dust.
describe.each([52, 99])('a payment in %i parts', (count) => {
  const piece = price / 100n

  test('that is too little is underpaid once, by the sum of its parts', () => {
    expect(applied(pieces(count, piece))).toEqual([['underpaid', Number(piece) * count]])
  })

  test('that is enough with the last part is underpaid once, then paid', () => {
    const last = { ...pieces(count + 1, price)[count] } as Fact
    expect(applied([...pieces(count, piece), last])).toEqual([
      ['underpaid', Number(piece) * count],
      ['pending_confirmations', Number(piece) * count + Number(price)],
      ['overpaid', Number(piece) * count + Number(price)],
    ])
  })
})

test.each([52, 156, 520])('%i payments, each of them enough, are overpaid once', (count) => {
  expect(applied(pieces(count, price))).toEqual([
    ['pending_confirmations', Number(price)],
    ['overpaid', Number(price) * count],
  ])
})

test('equal events with another event in between stay separate', () => {
  const [first, second] = pieces(2, 1_000_000n) as [Fact, Fact]
  const orphaned: Fact = { type: 'transfer_orphaned', transferId: 'tr_0' }
  expect(applied([first, orphaned, second])).toEqual([
    ['underpaid', 1_000_000],
    ['reorged', 0],
    ['underpaid', 1_000_000],
  ])
})

test('facts that change nothing leave the intent unchanged', () => {
  const unchanged = applyFacts(open, [{ type: 'transfer_orphaned', transferId: 'tr_9' }])
  expect(unchanged).toEqual({
    ...{ before: open, intent: open, changed: false, events: [], refused: null },
  })
})
