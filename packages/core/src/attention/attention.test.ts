import { describe, expect, test } from 'vitest'
import { applyFacts } from '../payment-intents/applyFacts.ts'
import { newIntent } from '../payment-intents/creation/newIntent.ts'
import type { Fact } from '../payment-intents/transition.ts'
import {
  attentionOfEndpoint,
  attentionOfIntent,
  attentionOfRefund,
  attentionOfTransfer,
} from './attention.ts'

const price = 10_000_000n
const payable = price + 100n

const open = newIntent(
  {
    ...{ id: 'pi_1', merchantId: 'mer_1', mode: 'testnet', chain: 'base', chainId: 84532 },
    ...{ token: '0x036cbd53842c5426634e7929541ec2318f3dcf7e', wallet: `0x${'02'.repeat(20)}` },
    ...{ amount: price, reference: '0x03', salt: '0x04', confirmationsRequired: 1, lane: 'sdk' },
    ...{ paymentLink: null, metadata: '{}', createdAt: 0, expiresAt: 1_000, expiresInMinutes: 30 },
  },
  { payable, referenceOnly: false },
)

function paid(amount: bigint, blockTimestamp = 900, logIndex = 0): Fact {
  const where = { id: `tr_${logIndex}`, txHash: '0x01', blockNumber: 10n, logIndex } as const
  return {
    type: 'transfer_seen',
    transfer: { ...where, blockTimestamp, amount, boundBy: 'reference' },
  }
}

function head(timestamp: number): Fact {
  const proven = new Set(['tr_0', 'tr_1'])
  return { type: 'head', blockNumber: 20n, timestamp, proven }
}

const canceled: Fact = { type: 'cancel' }
const accepted: Fact = { type: 'accept' }
const [settled, over] = [head(950), head(1_001)]

describe('a payment intent', () => {
  test.each<[string, readonly Fact[], ReturnType<typeof attentionOfIntent>]>([
    ['that waits', [], null],
    ['that nobody paid', [over], null],
    ['that is canceled', [canceled], null],
    ['underpaid before its deadline', [paid(5_000_000n)], null],
    ['underpaid', [paid(5_000_000n), over], 'payment_intent_underpaid'],
    [
      'underpaid, then late',
      [paid(1_000_000n), over, paid(1_000_000n, 1_001, 1)],
      'payment_intent_underpaid',
    ],
    ['underpaid and accepted', [paid(5_000_000n), over, accepted], null],
    ['underpaid, accepted and settled', [paid(5_000_000n), accepted, settled], null],
    [
      'underpaid, accepted, and then paid',
      [paid(5_000_000n), accepted, settled, paid(5_000_000n, 960, 1)],
      'payment_intent_overpaid',
    ],
    ['paid late', [over, paid(price, 1_001)], 'payment_intent_late'],
    ['paid late and accepted', [over, paid(price, 1_001), accepted, over], null],
    ['paid after its cancellation', [canceled, paid(price)], 'payment_intent_late'],
    ['paid', [paid(payable)], null],
    ['that has succeeded', [paid(payable), settled], null],
    ['overpaid by a cent, and not settled', [paid(payable + 10_000n)], null],
    ['overpaid by a cent', [paid(payable + 10_000n), settled], 'payment_intent_overpaid'],
    ['overpaid by less', [paid(payable + 9_999n), settled], null],
    ['paid twice', [paid(price), settled, paid(price, 960, 1)], 'payment_intent_overpaid'],
    [
      'paid too much too late, and accepted',
      [over, paid(payable + 10_000n, 1_001), accepted, over],
      'payment_intent_overpaid',
    ],
    [
      'that the chain took back before it was final',
      [paid(price), { type: 'transfer_orphaned', transferId: 'tr_0' }],
      null,
    ],
    [
      'reversed',
      [paid(price), settled, { type: 'transfer_orphaned', transferId: 'tr_0' }],
      'payment_intent_reversed',
    ],
    [
      'reversed, and paid again',
      [
        paid(price),
        settled,
        { type: 'transfer_orphaned', transferId: 'tr_0' },
        paid(price, 960, 1),
        settled,
      ],
      null,
    ],
  ])('%s', (_name, facts, type) => {
    expect(attentionOfIntent(applyFacts(open, facts).intent)).toBe(type)
  })

  test.each<[string, readonly Fact[], bigint]>([
    ['underpaid', [paid(5_000_000n), over], 5_000_000n],
    ['paid late', [over, paid(price, 1_001)], price],
    ['paid twice', [paid(price), settled, paid(price, 960, 1)], price - 100n],
  ])('%s needs nobody once refunds leave less than a cent of it', (_name, facts, owed) => {
    const { intent } = applyFacts(open, facts)
    const isNeeded = (refunded: bigint, refunding: bigint) =>
      attentionOfIntent({ ...intent, refunded, refunding }) !== null
    expect(isNeeded(10_000n, owed - 20_000n)).toBe(true)
    expect(isNeeded(10_000n, owed - 19_999n)).toBe(false)
  })
})

test('an unmatched transfer needs somebody until it is assigned or refunded, unless it is dust', () => {
  const unmatched = {
    ...{ amount: 10_000n, intentId: null, orphaned: false, isRefund: false, isRefunded: false },
  }
  expect(attentionOfTransfer(unmatched)).toBe('transfer_unmatched')
  for (const change of [
    { amount: 9_999n },
    { intentId: 'pi_1' },
    { orphaned: true },
    { isRefund: true },
    { isRefunded: true },
  ]) {
    expect(attentionOfTransfer({ ...unmatched, ...change })).toBeNull()
  }
})

test('a refund needs somebody until it is signed or canceled', () => {
  const needs = (
    ['requires_destination', 'requires_confirmation', 'requires_signature'] as const
  ).map((status) => attentionOfRefund({ status }))
  expect(new Set(needs)).toEqual(new Set(['refund_waiting']))
  for (const status of ['pending', 'succeeded', 'canceled'] as const) {
    expect(attentionOfRefund({ status })).toBeNull()
  }
})

test('an endpoint needs somebody after an hour of failures, until it is disabled', () => {
  const failing = { disabledReason: null, failingSince: new Date(1_000) }
  const hour = 3_600_000
  expect(attentionOfEndpoint(failing, 999 + hour)).toBeNull()
  expect(attentionOfEndpoint(failing, 1_000 + hour)).toBe('webhook_endpoint_failing')
  expect(attentionOfEndpoint({ ...failing, disabledReason: 'merchant' }, 2 * hour)).toBeNull()
  expect(attentionOfEndpoint({ ...failing, failingSince: null }, 2 * hour)).toBeNull()
})
