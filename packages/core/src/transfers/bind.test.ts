import fc from 'fast-check'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { authorizationKey } from '../authorizations/authorizationKey.ts'
import type { BoundBy } from '../payment-intents/intent.ts'
import {
  bind as bindAt,
  type CandidateIntent,
  type Candidates,
  type PricedIntent,
  payableKey,
  transferKey,
  type UnmatchedReason,
} from './bind.ts'
import type { TransferLog } from './observedTransaction.ts'
import { referencedCalls } from './referencedCalls.ts'

const shop = `0x${'ab'.repeat(20)}` as const
const other = `0x${'cd'.repeat(20)}` as const
const token = `0x${'0c'.repeat(20)}` as const
const payer = `0x${'ef'.repeat(20)}` as const
const referenceA: Hex = `0x${'a1'.repeat(32)}`
const referenceB: Hex = `0x${'b2'.repeat(32)}`

const candidates: Candidates = {
  byReference: new Map([
    [referenceA, { id: 'pi_a', wallet: shop }],
    [referenceB, { id: 'pi_b', wallet: shop }],
  ]),
  byAuthorization: new Map(),
  assigned: new Map(),
  pricedBefore: new Map(),
  byAddress: new Map(),
  onOtherChain: new Set(),
  byPayable: new Map([
    [payableKey(shop, 25n), candidate('pi_a')],
    [payableKey(shop, 125n), candidate('pi_b')],
  ]),
  byPrice: new Map(),
}

/** A transaction from the payer to a contract that pays. */
function bind(
  transaction: { input: Hex; transfers: readonly TransferLog[] },
  candidatesOf: Candidates,
  block = { blockNumber: 100n, timestamp: 1_000 },
) {
  const observed = { sender: payer, to: other, token, ...transaction, ...block }
  return bindAt({ ...observed, calls: referencedCalls(observed) }, candidatesOf)
}

function candidate(id: string, more: Partial<CandidateIntent> = {}): CandidateIntent {
  return { id, since: { type: 'block', number: 100n }, isNewer: false, ...more }
}

function call(amount: bigint, reference: Hex | '' = '', to: string = shop): string {
  const words = [to.slice(2), amount.toString(16)].map((word) => word.padStart(64, '0'))
  return `a9059cbb${words.join('')}${reference.slice(2)}`
}

function log(amount: bigint, logIndex = 0, to: TransferLog['to'] = shop): TransferLog {
  return { logIndex, from: payer, to, amount, token, authorizationNonce: null }
}

/** A transaction with this input and transfers of these amounts to the shop. */
function paying(input: string, ...amounts: bigint[]) {
  const transfers = amounts.map((amount, index) => log(amount, 3 + 2 * index))
  return { input: `0x${input}` as const, transfers }
}

function bound(intentId: string, by: BoundBy) {
  return { type: 'bound', intentId, by }
}

function unmatched(reason: UnmatchedReason) {
  return { type: 'unmatched', reason }
}

describe('a plain transfer', () => {
  test('is bound by its reference, whatever its amount', () => {
    const transaction = paying(call(7n, referenceB), 7n)
    expect(bind(transaction, candidates)).toEqual([bound('pi_b', 'reference')])
  })

  test('is bound by its reference before its amount', () => {
    const transaction = paying(call(25n, referenceB), 25n)
    expect(bind(transaction, candidates)).toEqual([bound('pi_b', 'reference')])
  })

  test('is bound by its exact amount when the reference was stripped or is not ours', () => {
    const strange: Hex = `0x${'99'.repeat(32)}`
    for (const input of [call(25n), call(25n, strange), call(25n, referenceB).slice(0, -2)]) {
      expect(bind(paying(input, 25n), candidates)).toEqual([bound('pi_a', 'payable_amount')])
    }
  })

  test('of any other amount is unmatched', () => {
    expect(bind(paying(call(26n), 26n), candidates)).toEqual([unmatched('no_intent')])
  })

  test('from before the intent existed does not pay it', () => {
    const transaction = paying(call(25n), 25n)
    const before = [unmatched('before_intent')]
    const boundToA = [bound('pi_a', 'payable_amount')]
    const candidatesOf = (holder: CandidateIntent) => ({
      ...candidates,
      byPayable: new Map([[payableKey(shop, 25n), holder]]),
    })
    const byBlock = candidatesOf(candidate('pi_a'))
    expect(bind(transaction, byBlock, { blockNumber: 100n, timestamp: 0 })).toEqual(boundToA)
    expect(bind(transaction, byBlock, { blockNumber: 99n, timestamp: 9_999 })).toEqual(before)
    const byTime = candidatesOf(candidate('pi_a', { since: { type: 'time', timestamp: 1_000 } }))
    expect(bind(transaction, byTime, { blockNumber: 0n, timestamp: 1_000 })).toEqual(boundToA)
    expect(bind(transaction, byTime, { blockNumber: 999n, timestamp: 999 })).toEqual(before)
    expect(bind(transaction, candidatesOf(candidate('pi_a', { isNewer: true })))).toEqual(before)
  })

  test('with a reference for another wallet falls back to the amount', () => {
    const elsewhere: Candidates = {
      ...candidates,
      byReference: new Map([[referenceB, { id: 'pi_b', wallet: other }]]),
    }
    const transaction = paying(call(25n, referenceB), 25n)
    expect(bind(transaction, elsewhere)).toEqual([bound('pi_a', 'payable_amount')])
  })
})

describe('a wallet of a single intent', () => {
  const onlyIntent = candidate('pi_c')
  const override: Candidates = { ...candidates, byAddress: new Map([[other, [onlyIntent]]]) }
  const odd = { input: '0x', transfers: [log(3n, 0, other)] } as const

  test('binds any amount', () => {
    expect(bind(odd, override)).toEqual([bound('pi_c', 'address')])
  })

  test('binds nothing from before the intent, nor with two intents', () => {
    const before = { blockNumber: 99n, timestamp: 1_000 }
    expect(bind(odd, override, before)).toEqual([unmatched('no_intent')])
    const sharedAddress = new Map([[other, [onlyIntent, candidate('pi_d')]]])
    expect(bind(odd, { ...candidates, byAddress: sharedAddress })).toEqual([unmatched('no_intent')])
    for (const later of [
      candidate('pi_d', { since: { type: 'block', number: 101n } }),
      candidate('pi_d', { isNewer: true }),
    ]) {
      const candidatesOf = { ...candidates, byAddress: new Map([[other, [onlyIntent, later]]]) }
      expect(bind(odd, candidatesOf)).toEqual([bound('pi_c', 'address')])
    }
  })

  test('yields to a reference, and precedes an amount', () => {
    const both: Candidates = {
      ...override,
      byReference: new Map([[referenceB, { id: 'pi_b', wallet: other }]]),
      byPayable: new Map([[payableKey(other, 3n), candidate('pi_a')]]),
    }
    expect(bind(odd, both)).toEqual([bound('pi_c', 'address')])
    const input: Hex = `0x${call(3n, referenceB, other)}`
    expect(bind({ ...odd, input }, both)).toEqual([bound('pi_b', 'reference')])
  })
})

describe('a merchant’s assignment', () => {
  const assigned = new Map([[transferKey(payer, shop, 25n), ['pi_z']]])
  const input = call(25n, referenceB)

  test('precedes everything', () => {
    const bindings = bind(paying(input, 25n), { ...candidates, assigned })
    expect(bindings).toEqual([bound('pi_z', 'assignment')])
  })

  test('binds one transfer, not every equal transfer of its transaction', () => {
    expect(bind(paying(input, 25n, 25n, 25n), { ...candidates, assigned })).toEqual([
      bound('pi_z', 'assignment'),
      bound('pi_b', 'reference'),
      bound('pi_a', 'payable_amount'),
    ])
  })
})

test('another token, or the other chain, is the reason', () => {
  const lookalike = [{ ...log(25n), token: other }]
  expect(bind({ input: `0x${call(25n, referenceB)}`, transfers: lookalike }, candidates)).toEqual([
    unmatched('wrong_token'),
  ])
  const onOtherChain = new Set([payableKey(shop, 26n)])
  const bindings = bind(paying('', 26n), { ...candidates, onOtherChain })
  expect(bindings).toEqual([unmatched('wrong_chain')])
})

describe('an authorization (EIP-3009)', () => {
  const authorized = { ...log(25n), authorizationNonce: referenceB }

  test('is bound by its nonce, with any submitter and any other calldata', () => {
    const input: Hex = `0x${call(25n, referenceA)}`
    for (const sender of [payer, other]) {
      const transaction = { sender, to: token, token, input, blockNumber: 100n, timestamp: 1_000 }
      const observed = { ...transaction, transfers: [authorized] }
      const decoded = { ...observed, calls: referencedCalls(observed) }
      expect(bindAt(decoded, candidates)).toEqual([bound('pi_b', 'authorization')])
    }
  })

  test('with a nonce that is no reference, or another wallet’s, falls back', () => {
    const strange = { ...authorized, authorizationNonce: `0x${'99'.repeat(32)}` as const }
    const elsewhere = new Map([[referenceB, { id: 'pi_b', wallet: other }]])
    expect(bind({ input: '0x', transfers: [strange] }, candidates)).toEqual([
      bound('pi_a', 'payable_amount'),
    ])
    expect(
      bind({ input: '0x', transfers: [authorized] }, { ...candidates, byReference: elsewhere }),
    ).toEqual([bound('pi_a', 'payable_amount')])
  })
})

describe('the plain price', () => {
  const priced = (id: string, more: Partial<PricedIntent> = {}): PricedIntent => ({
    ...candidate(id),
    matchPlainPrice: true,
    isUnpaid: true,
    expiresAt: 1_000,
    ...more,
  })
  const sent = paying('', 20n)
  const candidatesOf = (...intents: PricedIntent[]) => ({
    ...candidates,
    byPrice: new Map([[payableKey(shop, 20n), intents]]),
  })

  test('is bound if the merchant wants that and one intent alone has it', () => {
    expect(bind(sent, candidatesOf(priced('pi_c')))).toEqual([bound('pi_c', 'price')])
  })

  test.each<[string, Candidates, UnmatchedReason]>([
    [
      'the merchant has not set that',
      candidatesOf(priced('pi_c', { matchPlainPrice: false })),
      'no_intent',
    ],
    ['two intents have it', candidatesOf(priced('pi_c'), priced('pi_d')), 'ambiguous'],
    [
      'two have it, one of them over',
      candidatesOf(priced('pi_c'), priced('pi_d', { isUnpaid: false })),
      'ambiguous',
    ],
    ['its intent is paid or over', candidatesOf(priced('pi_c', { isUnpaid: false })), 'no_intent'],
    ['it is late', candidatesOf(priced('pi_c', { expiresAt: 999 })), 'no_intent'],
    ['it was sent before', candidatesOf(priced('pi_c', { isNewer: true })), 'before_intent'],
  ])('is unmatched when %s', (_, candidates, reason) => {
    expect(bind(sent, candidates)).toEqual([unmatched(reason)])
  })

  test('pays once, even if sent twice in a transaction', () => {
    expect(bind(paying('', 20n, 20n), candidatesOf(priced('pi_c')))).toEqual([
      bound('pi_c', 'price'),
      unmatched('no_intent'),
    ])
  })

  test('does not pay an intent paid earlier in the transaction, except by dust', () => {
    const price = 2_000n
    const paidBefore = (amount: bigint) => ({
      input: '0x' as const,
      transfers: [{ ...log(amount, 3), authorizationNonce: referenceA }, log(price, 5)],
    })
    const byPrice = new Map([[payableKey(shop, price), [priced('pi_a')]]])
    const candidatesOf = { ...candidates, byPrice, byPayable: new Map() }
    expect(bind(paidBefore(20n), candidatesOf)[1]).toEqual(unmatched('no_intent'))
    expect(bind(paidBefore(19n), candidatesOf)[1]).toEqual(bound('pi_a', 'price'))
  })

  test('stays credited in another block when its intent is paid and another has its price', () => {
    const pricedBefore = new Map([[transferKey(payer, shop, 20n), ['pi_c']]])
    const since = candidatesOf(priced('pi_c', { isUnpaid: false }), priced('pi_d'))
    expect(bind(sent, { ...since, pricedBefore })).toEqual([bound('pi_c', 'price')])
    const unset = candidatesOf(priced('pi_c', { matchPlainPrice: false }))
    expect(bind(sent, { ...unset, pricedBefore })).toEqual([bound('pi_c', 'price')])
  })
})

describe('calldata alone', () => {
  test('credits nothing: a call without its transfer is not used for another', () => {
    const transaction = paying(call(24n, referenceB) + call(26n), 26n)
    expect(bind(transaction, candidates)).toEqual([unmatched('no_intent')])
  })

  test('that starts in the middle of a byte is no call', () => {
    const transaction = paying(`0${call(7n, referenceB)}0`, 7n)
    expect(bind(transaction, candidates)).toEqual([unmatched('no_intent')])
  })
})

describe('a bundle', () => {
  test('that names more intents than it pays is bound by no reference', () => {
    const both = (amount: bigint) =>
      paying(call(amount, referenceB) + call(amount, referenceA), amount)
    expect(bind(both(25n), candidates)).toEqual([bound('pi_a', 'payable_amount')])
    expect(bind(both(26n), candidates)).toEqual([unmatched('ambiguous')])
  })

  test('whose call appears twice in its calldata pays two intents, not one twice', () => {
    const input = call(7n, referenceA) + call(7n, referenceA) + call(7n, referenceB)
    expect(bind(paying(input, 7n, 7n), candidates)).toEqual([
      bound('pi_a', 'reference'),
      bound('pi_b', 'reference'),
    ])
  })

  test('pays several intents in one transaction, each reference consuming one log', () => {
    const input = `deadbeef00${call(7n, referenceB)}1234${call(7n, referenceA)}`
    expect(bind(paying(input, 7n, 7n), candidates)).toEqual([
      bound('pi_b', 'reference'),
      bound('pi_a', 'reference'),
    ])
  })

  test('with one reference for two logs binds one of them by it', () => {
    expect(bind(paying(call(7n, referenceB) + call(7n), 7n, 7n), candidates)).toEqual([
      bound('pi_b', 'reference'),
      unmatched('no_intent'),
    ])
  })

  test('binds every payment to its own intent, wherever the calls are', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat({ max: 40 }), { minLength: 1, maxLength: 8 }),
        fc.array(fc.tuple(fc.bigInt({ min: 1n, max: 3n }), fc.uint8Array({ maxLength: 9 })), {
          minLength: 8,
          maxLength: 8,
        }),
        (ids, calls) => {
          const payments = ids.map((id, index) => {
            const [amount = 1n, noise = new Uint8Array()] = calls[index] ?? []
            const reference: Hex = `0x${(id + 1).toString(16).padStart(64, '5')}`
            return { id: `pi_${id}`, amount, reference, noise: Buffer.from(noise).toString('hex') }
          })
          const candidatesOf: Candidates = {
            byReference: new Map(
              payments.map(({ id, reference }) => [reference, { id, wallet: shop }]),
            ),
            byAuthorization: new Map(),
            assigned: new Map(),
            pricedBefore: new Map(),
            byAddress: new Map(),
            byPayable: new Map(),
            onOtherChain: new Set(),
            byPrice: new Map(),
          }
          const input: Hex = `0x${payments
            .map(({ noise, amount, reference }) => noise + call(amount, reference))
            .join('')}`
          const transfers = payments.map(({ amount }, index) => log(amount, index))
          expect(bind({ input, transfers }, candidatesOf)).toEqual(
            payments.map(({ id }) => bound(id, 'reference')),
          )
        },
      ),
    )
  })
})

describe('a submitted authorization', () => {
  const nonce: Hex = `0x${'77'.repeat(32)}`
  const candidatesOf = (more: Partial<Candidates> = {}): Candidates => ({
    ...candidates,
    byAuthorization: new Map([[authorizationKey(payer, nonce), { id: 'pi_a', wallet: shop }]]),
    ...more,
  })
  const by = (changes: Partial<TransferLog> = {}) => ({
    input: '0x' as Hex,
    transfers: [{ ...log(24n), authorizationNonce: nonce, ...changes }],
  })

  test('binds its transfer, whatever other rule would match', () => {
    expect(bind(by(), candidatesOf())).toEqual([
      { type: 'bound', intentId: 'pi_a', by: 'authorization' },
    ])
    expect(bind(by({ amount: 25n }), candidatesOf())).toMatchObject([{ intentId: 'pi_a' }])
  })

  test.each<[string, Partial<TransferLog>, Partial<Candidates>, object]>([
    ['the exact amount of another intent', { amount: 125n }, {}, { intentId: 'pi_b' }],
    ['the reference of another', { authorizationNonce: referenceB }, {}, { intentId: 'pi_b' }],
    ['another account', { from: other }, {}, { type: 'unmatched' }],
    ['another wallet', { to: other }, {}, { type: 'unmatched' }],
  ])('yields to %s', (_, changes, more, binding) => {
    expect(bind(by(changes), candidatesOf(more))).toMatchObject([binding])
  })

  test('does not yield to an amount of a newer intent', () => {
    const later = candidate('pi_b', { since: { type: 'block', number: 101n } })
    const byPayable = new Map([[payableKey(shop, 125n), later]])
    expect(bind(by({ amount: 125n }), candidatesOf({ byPayable }))).toMatchObject([
      { intentId: 'pi_a' },
    ])
  })
})
