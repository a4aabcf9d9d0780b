import type { EventType } from '@payment-intents/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../tests/support/tier.ts'
import { newIntent } from './creation/newIntent.ts'
import type { BoundBy, CreditedTransfer, Intent, Terms } from './intent.ts'
import { payingTransfers, received, withoutDust } from './payingTransfers.ts'
import { type Fact, transition } from './transition.ts'

const deadline = 1_000

const terms: Terms = {
  id: 'pi_1',
  merchantId: 'mer_1',
  mode: 'testnet',
  chain: 'base',
  chainId: 84532,
  token: '0x01',
  wallet: '0x02',
  amount: 100n,
  reference: '0x03',
  salt: '0x04',
  confirmationsRequired: 3,
  lane: 'sdk',
  paymentLink: null,
  metadata: '{}',
  createdAt: 0,
  expiresAt: deadline,
  expiresInMinutes: 30,
}
const open = newIntent(terms, { payable: 101n, referenceOnly: false })

function transfer(
  id: string,
  amount: bigint,
  at: { block?: number; time?: number; boundBy?: BoundBy } = {},
) {
  const { block = 10, time = 900, boundBy = 'reference' } = at
  return {
    id,
    txHash: `0x${id}`,
    blockNumber: BigInt(block),
    blockTimestamp: time,
    logIndex: 0,
    amount,
    boundBy,
  } satisfies CreditedTransfer
}

function mined(...args: Parameters<typeof transfer>): Fact {
  return { type: 'transfer_seen', transfer: transfer(...args) }
}

function moved(transferId: string): Fact {
  return { type: 'transfer_moved', transferId }
}

function orphaned(transferId: string): Fact {
  return { type: 'transfer_orphaned', transferId }
}

function head(
  blockNumber: number | null,
  options: { time?: number; proven?: string[] } = {},
): Fact {
  return {
    type: 'head',
    blockNumber: blockNumber === null ? null : BigInt(blockNumber),
    timestamp: options.time ?? 900,
    proven: new Set(options.proven ?? []),
  }
}

function run(facts: readonly Fact[], from: Intent = open): { intent: Intent; events: EventType[] } {
  let intent = from
  const events: EventType[] = []
  for (const fact of facts) {
    const outcome = transition(intent, fact)
    if (outcome.type !== 'changed') continue
    intent = outcome.intent
    events.push(...outcome.events)
  }
  return { intent, events }
}

const afterwards = { time: deadline + 1 }
const overdue = head(12, afterwards)
const paid = [mined('a', 101n), head(12, { proven: ['a'] })]

describe('requires_payment', () => {
  test('becomes pending_confirmations with enough, on time', () => {
    const { intent, events } = run([mined('a', 101n, { time: deadline })])
    expect(intent).toMatchObject({ status: 'pending_confirmations', txHash: '0xa', exceptions: [] })
    expect(events).toEqual(['payment_intent.pending_confirmations'])
  })

  test('is paid by the amount without the tag', () => {
    expect(run([mined('a', 100n)]).intent.status).toBe('pending_confirmations')
  })

  test('stays, underpaid, with less; more completes it', () => {
    const part = run([mined('a', 40n)])
    expect(part.intent).toMatchObject({ status: 'requires_payment', exceptions: ['underpaid'] })
    expect(received(part.intent)).toBe(40n)
    expect(part.events).toEqual(['payment_intent.underpaid'])

    const completed = run([mined('b', 61n, { block: 11 })], part.intent)
    expect(completed.intent).toMatchObject({ status: 'pending_confirmations', exceptions: [] })
  })

  test('expires once the chain is past the deadline, not at it', () => {
    expect(run([head(12, { time: deadline })]).intent.status).toBe('requires_payment')
    const { intent, events } = run([overdue])
    expect(intent.status).toBe('expired')
    expect(events).toEqual(['payment_intent.expired'])
  })

  test('expires underpaid with too little', () => {
    const { intent } = run([mined('a', 40n), overdue])
    expect(intent).toMatchObject({ status: 'expired', exceptions: ['underpaid'] })
  })
})

describe('pending_confirmations', () => {
  test('counts head − block + 1, and shows no more than is proven', () => {
    const { intent } = run([mined('a', 101n), head(11)])
    expect(intent.confirmations).toBe(2)
    expect(run([head(50)], intent).intent).toMatchObject({
      status: 'pending_confirmations',
      confirmations: 2,
    })
  })

  test('succeeds when every counted transfer is deep and proven', () => {
    const parts = [mined('a', 60n), mined('b', 41n, { block: 11 })]
    expect(run([...parts, head(13, { proven: ['a'] })]).intent.status).toBe('pending_confirmations')
    expect(run([...parts, head(12, { proven: ['a', 'b'] })]).intent.status).toBe(
      'pending_confirmations',
    )
    const { intent, events } = run([...parts, head(13, { proven: ['a', 'b'] })])
    expect(intent).toMatchObject({ status: 'succeeded', confirmations: 3, txHash: '0xb' })
    expect(events.at(-1)).toBe('payment_intent.succeeded')
  })

  test('does not expire', () => {
    expect(run([mined('a', 101n), overdue]).intent.status).toBe('pending_confirmations')
  })

  test('goes back, reorged, when its transfer is orphaned; then expires, or is paid again', () => {
    const { intent, events } = run([mined('a', 101n), head(11), orphaned('a')])
    expect(intent).toMatchObject({
      status: 'requires_payment',
      exceptions: ['reorged'],
      confirmations: 0,
      txHash: null,
    })
    expect(events.at(-1)).toBe('payment_intent.reorged')
    expect(run([overdue], intent).intent.status).toBe('expired')
    expect(run([mined('a2', 101n)], intent).intent).toMatchObject({
      status: 'pending_confirmations',
      exceptions: [],
    })
  })

  test('stays when the remaining transfers still pay', () => {
    const { intent } = run([mined('a', 101n), mined('b', 101n, { block: 11 }), orphaned('a')])
    expect(intent).toMatchObject({ status: 'pending_confirmations', txHash: '0xb' })
  })

  test('is overpaid only above the payable amount, and multiple by a further transfer', () => {
    expect(run([mined('a', 101n)]).intent.exceptions).toEqual([])
    const over = run([mined('a', 102n)])
    expect(over.intent.exceptions).toEqual(['overpaid'])
    expect(over.events).toContain('payment_intent.overpaid')
    const twice = run([mined('a', 101n), mined('b', 101n, { block: 11 })])
    expect(twice.intent.exceptions).toEqual(['multiple'])
  })

  test('is not held up by a further transfer', () => {
    const { intent } = run([
      mined('a', 101n),
      mined('b', 101n, { block: 12 }),
      head(12, { proven: ['a'] }),
    ])
    expect(intent).toMatchObject({ status: 'succeeded', exceptions: ['multiple'] })
  })
})

describe('expired', () => {
  const expired = run([overdue]).intent

  test('stays, late, when a transfer comes after the deadline', () => {
    const { intent, events } = run([mined('a', 101n, afterwards)], expired)
    expect(intent).toMatchObject({ status: 'expired', exceptions: ['late'] })
    expect(received(intent)).toBe(101n)
    expect(events).toEqual(['payment_intent.paid_late'])
  })

  test('is reported before the late payment that shows the deadline has passed', () => {
    const { intent, events } = run([mined('a', 101n, afterwards)])
    expect(intent).toMatchObject({ status: 'expired', exceptions: ['late'] })
    expect(events).toEqual(['payment_intent.expired', 'payment_intent.paid_late'])
  })

  test('is revived by a payment that was on time and seen late', () => {
    const { intent } = run([mined('a', 101n, { time: deadline })], expired)
    expect(intent.status).toBe('pending_confirmations')
  })

  test('does not mix late money into an on-time payment', () => {
    const { intent } = run(
      [mined('a', 60n, afterwards), mined('b', 60n, { time: deadline })],
      expired,
    )
    expect(intent.status).toBe('expired')
  })
})

describe('cancel', () => {
  test('ends an intent that received nothing, once', () => {
    const { intent, events } = run([{ type: 'cancel' }])
    expect(intent.status).toBe('canceled')
    expect(events).toEqual(['payment_intent.canceled'])
    expect(transition(intent, { type: 'cancel' })).toEqual({ type: 'unchanged' })
    expect(transition(run([]).intent, { type: 'cancel', isInFlight: true })).toMatchObject({
      type: 'refused',
      reason: 'payment_in_flight',
    })
  })

  test.each<[string, Fact[]]>([
    ['something was received', [mined('a', 1n)]],
    ['it is paid', [mined('a', 101n)]],
    ['it has succeeded', paid],
    ['it has expired', [overdue]],
  ])('is refused when %s', (_name, facts) => {
    expect(transition(run(facts).intent, { type: 'cancel' }).type).toBe('refused')
  })
})

describe('accept', () => {
  const late = mined('a', 101n, afterwards)

  test.each<[string, Fact[], string[]]>([
    ['late', [late], ['late']],
    ['underpaid', [mined('a', 40n)], ['underpaid']],
    ['underpaid and expired', [mined('a', 40n), overdue], ['underpaid']],
    ['canceled', [{ type: 'cancel' }, mined('a', 101n)], []],
  ])('settles what was received: %s', (_name, facts, exceptions) => {
    const { intent, events } = run([...facts, { type: 'accept' }])
    expect(intent.status).toBe('pending_confirmations')
    expect(events.at(-1)).toBe('payment_intent.pending_confirmations')
    expect(transition(intent, { type: 'accept' })).toEqual({ type: 'unchanged' })
    const settled = run([head(12), head(12, { proven: ['a'] })], intent)
    expect(settled.intent).toMatchObject({ status: 'succeeded', exceptions })
    expect(settled.events).toEqual(['payment_intent.succeeded'])
  })

  test('no longer holds when the accepted transfer is orphaned', () => {
    const { intent } = run([late, { type: 'accept' }, orphaned('a')])
    expect(intent).toMatchObject({ status: 'requires_payment', exceptions: ['reorged'] })
    expect(run([overdue], intent).intent.status).toBe('expired')
  })

  test('of an overpayment needs only the price when it is orphaned', () => {
    const twice = [mined('a', 101n), mined('b', 101n, { block: 11 })]
    const { intent } = run([{ type: 'cancel' }, ...twice, { type: 'accept' }])
    const afterReorg = run([orphaned('a'), orphaned('b')], intent).intent
    expect(afterReorg.status).toBe('requires_payment')
    expect(run([mined('c', 101n)], afterReorg).intent.status).toBe('pending_confirmations')
  })

  test.each<[string, Fact[]]>([
    ['nothing was received', []],
    ['it is paid', [mined('a', 101n)]],
    ['it has succeeded', paid],
  ])('is refused when %s', (_name, facts) => {
    expect(transition(run(facts).intent, { type: 'accept' }).type).toBe('refused')
  })
})

test('canceled stays, late, when a transfer comes', () => {
  const { intent, events } = run([mined('a', 101n)], { ...open, status: 'canceled' })
  expect(intent).toMatchObject({ status: 'canceled', exceptions: ['late'] })
  expect(events).toEqual(['payment_intent.paid_late'])
})

describe('succeeded', () => {
  test('reports a further transfer', () => {
    const { intent, events } = run([...paid, mined('b', 101n, { block: 20 })])
    expect(intent).toMatchObject({ status: 'succeeded', exceptions: ['multiple'] })
    expect(events.at(-1)).toBe('payment_intent.overpaid')
  })

  test('stays reversed whatever else is taken back or comes, until it is paid again', () => {
    const reversed = run([...paid, mined('b', 50n, { block: 20 }), orphaned('a'), orphaned('b')])
    expect(reversed.intent).toMatchObject({ status: 'succeeded', exceptions: ['reorged'] })
    const part = run([mined('c', 50n, { block: 30 })], reversed.intent)
    expect(part.intent).toMatchObject({ exceptions: ['reorged'], txHash: '0xc' })
    const completed = run(
      [mined('d', 51n, { block: 31 }), head(33, { proven: ['c', 'd'] })],
      part.intent,
    )
    expect(completed.intent).toMatchObject({ status: 'succeeded', exceptions: [] })
  })

  test('is reversed when the chain drops its transfer, and settles again with proof', () => {
    const reversed = run([...paid, orphaned('a')])
    expect(reversed.intent).toMatchObject({ status: 'succeeded', exceptions: ['reorged'] })
    expect(reversed.events.at(-1)).toBe('payment_intent.reversed')
    const outcome = run(
      [mined('a2', 101n, { block: 20 }), head(22), head(22, { proven: ['a2'] })],
      reversed.intent,
    )
    expect(outcome.intent).toMatchObject({ status: 'succeeded', exceptions: [], confirmations: 3 })
    expect(outcome.events).toEqual(['payment_intent.succeeded'])
  })

  test('says when it was finally paid, and nothing while it is reversed', () => {
    expect(run(paid.slice(0, 1)).intent.succeededAt).toBeNull()
    expect(run(paid).intent.succeededAt).toBe(900_000)
    const reversed = run([...paid, orphaned('a')]).intent
    expect(reversed.succeededAt).toBeNull()
    const outcome = run(
      [mined('b', 101n, { block: 20 }), head(22, { time: 950, proven: ['b'] })],
      reversed,
    )
    expect(outcome.intent.succeededAt).toBe(950_000)
  })

  test('stays reversed while the new payment is not deep, whatever else comes or goes', () => {
    const restored = run([...paid, orphaned('a'), mined('b', 101n, { block: 20 })]).intent
    const surplus = run([mined('c', 101n, { block: 21 })], restored).intent
    expect(surplus.exceptions).toEqual(['reorged', 'multiple'])
    expect(run([orphaned('c')], surplus).intent.exceptions).toEqual(['reorged'])
    const settled = run([head(25, { proven: ['b'] })], surplus)
    expect(settled.intent).toMatchObject({ exceptions: ['multiple'], succeededAt: 900_000 })
    expect(settled.events).toEqual(['payment_intent.succeeded'])
  })
})

test('repeated facts change nothing', () => {
  const { intent } = run(paid)
  expect(run(paid, intent)).toEqual({ intent, events: [] })
})

describe('dust, below 1 % of the price', () => {
  const large: Intent = { ...open, amount: 10_000n, payable: 10_100n }
  const dust = mined('d', 99n)

  test('is kept, and nothing visible changes', () => {
    const { intent, events } = run([dust], large)
    expect(intent).toEqual({ ...large, transfers: [transfer('d', 99n)] })
    expect(events).toEqual([])
    expect(received(intent)).toBe(0n)
    expect(transition(intent, { type: 'cancel' }).type).toBe('changed')
    expect(transition(intent, { type: 'accept' }).type).toBe('refused')
  })

  test('does not make an exact payment overpaid, nor multiple', () => {
    const pay = [mined('a', 10_100n, { block: 11 }), head(13, { proven: ['a'] })]
    for (const facts of [
      [dust, ...pay],
      [...pay, dust],
    ]) {
      const { intent } = run(facts, large)
      expect(intent).toMatchObject({ status: 'succeeded', exceptions: [], txHash: '0xa' })
    }
  })

  test.each(['expired', 'canceled'] as const)(
    'never becomes the transaction of a payment that is %s',
    (status) => {
      const { intent, events } = run([mined('d', 99n, afterwards)], { ...large, status })
      expect(intent).toMatchObject({ status, txHash: null, exceptions: [] })
      expect(events).toEqual([])
    },
  )

  test('counts when it completes a payment, in any order', () => {
    const rest = mined('a', 9_901n, { block: 9 })
    for (const facts of [
      [dust, rest],
      [rest, dust],
    ]) {
      expect(run(facts, large).intent).toMatchObject({ status: 'pending_confirmations' })
    }
  })

  test('is no dust once the merchant assigned it', () => {
    const { intent } = run([mined('d', 99n, { boundBy: 'assignment' })], large)
    expect(intent).toMatchObject({ exceptions: ['underpaid'], txHash: '0xd' })
  })

  test('that the chain takes back changes nothing visible', () => {
    const part = run([mined('a', 5_000n), dust], large).intent
    const { intent, events } = run([orphaned('d')], part)
    expect(intent).toEqual({ ...part, transfers: [transfer('a', 5_000n)] })
    expect(events).toEqual([])
  })
})

describe('moving a transfer to another intent', () => {
  test('is refused for a transfer that paid the intent', () => {
    for (const facts of [[mined('a', 101n)], paid]) {
      expect(transition(run(facts).intent, moved('a')).type).toBe('refused')
    }
  })

  test('removes a surplus, with its exceptions', () => {
    const surplus = run([...paid, mined('b', 101n, { block: 12 })]).intent
    expect(surplus.exceptions).toEqual(['multiple'])
    const { intent, events } = run([moved('b')], surplus)
    expect(intent).toMatchObject({ status: 'succeeded', exceptions: [], txHash: '0xa' })
    expect(events).toEqual(['payment_intent.transfer_moved'])
  })

  test('removes a part, a late payment or dust', () => {
    expect(run([mined('a', 40n), moved('a')]).intent).toMatchObject({
      status: 'requires_payment',
      exceptions: [],
      txHash: null,
      transfers: [],
    })
    const late = run([overdue, mined('a', 101n, afterwards)])
    expect(run([moved('a')], late.intent).intent).toMatchObject({
      status: 'expired',
      exceptions: [],
      txHash: null,
    })
  })

  test('leaves no hash of a transaction that is no longer credited', () => {
    const pending = run([mined('b', 101n, { block: 12 }), mined('a', 101n, { block: 11 })]).intent
    expect(pending.txHash).toBe('0xb')
    expect(run([moved('b')], pending).intent).toMatchObject({
      status: 'pending_confirmations',
      exceptions: [],
      txHash: '0xa',
    })
    const reversed = run([...paid, orphaned('a'), mined('c', 50n, { block: 13 })]).intent
    expect(run([moved('c')], reversed).intent).toMatchObject({
      status: 'succeeded',
      exceptions: ['reorged'],
      txHash: null,
    })
  })

  test('of an uncredited transfer changes nothing', () => {
    expect(transition(open, moved('z'))).toEqual({ type: 'unchanged' })
  })
})

test('without a block number, deadlines pass and confirmations stay', () => {
  const unknown = head(null, { time: deadline + 1, proven: ['a'] })
  expect(run([unknown]).intent).toMatchObject({ status: 'expired' })
  const pending = run([mined('a', 101n, { block: 10 }), head(11)]).intent
  expect(pending).toMatchObject({ status: 'pending_confirmations', confirmations: 2 })
  expect(transition(pending, unknown)).toEqual({ type: 'unchanged' })
})

const factArbitrary: fc.Arbitrary<Fact> = fc.oneof(
  fc
    .record({
      id: fc.constantFrom('a', 'b', 'c', 'd'),
      amount: fc.oneof(fc.bigInt({ min: 1n, max: 1_500n }), fc.bigInt({ min: 1n, max: 12n })),
      block: fc.integer({ min: 1, max: 30 }),
      time: fc.integer({ min: 990, max: 1_010 }),
    })
    .map(({ id, amount, block, time }) => mined(id, amount, { block, time })),
  fc.constantFrom('a', 'b', 'c', 'd').map(orphaned),
  fc.constantFrom('a', 'b', 'c', 'd').map(moved),
  fc
    .record({
      block: fc.option(fc.integer({ min: 1, max: 40 })),
      time: fc.integer({ min: 990, max: 1_010 }),
      proven: fc.subarray(['a', 'b', 'c', 'd']),
    })
    .map(({ block, time, proven }) => head(block, { time, proven })),
  fc.constantFrom<Fact>({ type: 'cancel' }, { type: 'accept' }),
)

test('any history keeps the rules', () => {
  fc.assert(
    fc.property(fc.array(factArbitrary, { maxLength: 30 }), (facts) => {
      let intent: Intent = { ...open, amount: 1_000n, payable: 1_001n }
      for (const fact of facts) {
        const before = intent
        const outcome = transition(intent, fact)
        if (outcome.type !== 'changed') continue
        intent = outcome.intent
        // Only dust changes nothing visible.
        if (intent.version === before.version) {
          expect(withoutDust(intent)).toEqual(withoutDust(before))
          expect(outcome.events).toEqual([])
        }
        expect(intent.version).toBeGreaterThanOrEqual(before.version)
        expect(intent.sequence).toBe(before.sequence + outcome.events.length)
        if (outcome.events.includes('payment_intent.succeeded')) {
          // Enough money, on time, with each transfer deep enough below this head.
          if (fact.type !== 'head' || fact.blockNumber === null) {
            throw new Error('only a head of known depth settles')
          }
          const paidBy = payingTransfers(intent) ?? []
          expect(paidBy.reduce((sum, { amount }) => sum + amount, 0n)).toBeGreaterThanOrEqual(
            intent.accepted ?? 1_000n,
          )
          for (const { id, blockNumber } of paidBy) {
            expect(fact.blockNumber - blockNumber + 1n).toBeGreaterThanOrEqual(3n)
            expect(fact.proven).toContain(id)
          }
        }
        if (before.status === 'succeeded') expect(intent.status).toBe('succeeded')
      }
    }),
    { numRuns: runs(5_000) },
  )
})
