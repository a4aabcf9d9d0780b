import { describe, expect, test } from 'vitest'
import { newIntent, newTerms } from '../payment-intents/creation/newIntent.ts'
import type { CreditedTransfer, Intent } from '../payment-intents/intent.ts'
import { applyWithPlaces, holdsPlace } from './places.ts'

const wallet = '0xa0ee7a142d267c1f36714e4a8f75612f20a79720'
const terms = newTerms(
  { amount_units: 100 },
  '{}',
  {
    ...{ id: 'mer_1', mode: 'testnet', defaultChain: null, allowedWallets: [], confirmations: {} },
    wallets: { base: wallet },
  },
  {
    ...{ newId: () => 'pi_1', salt: `0x${'11'.repeat(32)}`, clock: () => 1_700_000_000_000 },
    ...{ confirmations: { base: 5 }, paymentLink: 'plink_1' },
  },
)
const open = newIntent(terms, { payable: 100n, referenceOnly: true })

function mined(amount: bigint, n = 1) {
  const transfer: CreditedTransfer = {
    ...{ id: `tr_${n}`, txHash: `0x${String(n).padStart(64, '0')}`, blockNumber: BigInt(n) },
    ...{ blockTimestamp: 1_700_000_001, logIndex: 0, amount, boundBy: 'reference' },
  }
  return { type: 'transfer_seen', transfer } as const
}

const apply = (intent: Intent, amount: bigint, remaining: number | null, isHolding = false) =>
  applyWithPlaces(intent, [mined(amount)], { isHolding, remaining })

test.each<[Intent['status'], Intent['exceptions'], boolean, boolean]>([
  ['requires_payment', [], false, false],
  ['requires_payment', [], true, true],
  ['pending_confirmations', [], false, true],
  // A part was taken back, and the remaining part still pays.
  ['pending_confirmations', ['reorged'], false, true],
  ['succeeded', ['multiple'], false, true],
  ['succeeded', ['reorged'], false, false],
  ['expired', ['late'], false, false],
  ['canceled', [], false, false],
])('%s %j, in flight %s: a place is held %s', (status, exceptions, isInFlight, isHeld) => {
  expect(holdsPlace({ status, exceptions }, isInFlight)).toBe(isHeld)
})

describe('a payment', () => {
  test.each([
    [null, false],
    [1, false],
    [0, true],
  ] as const)('with %s places left is pending, held before: %s', (freePlaces, isHeld) => {
    expect(apply(open, 100n, freePlaces, isHeld).intent.status).toBe('pending_confirmations')
  })

  test('without a place is late, wholly or partly', () => {
    for (const amount of [100n, 40n]) {
      const { intent, events } = apply(open, amount, 0)
      expect(intent).toMatchObject({ status: 'canceled', transfers: [{ amount }] })
      expect(events.map(({ type }) => type)).toContain('payment_intent.canceled')
    }
    expect(apply(open, 100n, 0).intent.exceptions).toEqual(['late'])
  })

  test('that was on time but found after its deadline is late without a place', () => {
    const expired: Intent = { ...open, status: 'expired' }
    expect(apply(expired, 100n, 0).intent).toMatchObject({ status: 'canceled' })
    expect(apply(expired, 100n, 1).intent).toMatchObject({ status: 'pending_confirmations' })
  })

  test('that has already paid stays paid, however few places are left', () => {
    const paid = apply(open, 100n, 1).intent
    const more = applyWithPlaces(paid, [mined(100n, 2)], { isHolding: false, remaining: 0 })
    expect(more.intent).toMatchObject({ status: 'pending_confirmations', exceptions: ['multiple'] })
  })
})
