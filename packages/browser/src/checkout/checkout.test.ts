import { describe, expect, test } from 'vitest'
import {
  after,
  arrivedAsPart,
  back,
  chosen,
  closed,
  declined,
  dismissal,
  effectsOf,
  expired,
  failed,
  now,
  order,
  otherToken,
  partDetected,
  paying,
  prepared,
  reorged,
  replaced,
  requested,
  requestedAs,
  requesting,
  resolved,
  reverted,
  sent,
  storedElsewhere,
  storedRequest,
  succeeded,
  transactionDropped,
  unsure,
  wallet,
  walletResponse,
  walletsDiscovered,
} from '../../test/support/checkoutEvents.ts'
import { txHash } from '../../test/support/testIntents.ts'
import { screen } from './screen.ts'
import type { CheckoutEvent, Work } from './state.ts'

describe('responses of the service', () => {
  test('an older version never replaces a newer one', () => {
    const state = after(resolved({ status: 'succeeded', version: 3 }), resolved({ version: 2 }))
    expect(state.intent?.status).toBe('succeeded')
  })

  test('any response clears the outage', () => {
    const silent: CheckoutEvent[] = [
      resolved({ version: 3 }),
      { type: 'poll_failed', cause: 'faulty' },
    ]
    expect(after(...silent, resolved({ version: 2 })).outage).toBeNull()
    expect(after(...silent, resolved({ version: 4 })).outage).toBeNull()
  })

  test('failed tries are counted in a row', () => {
    const silent: CheckoutEvent = { type: 'poll_failed', cause: 'faulty' }
    expect(after(silent, silent).outage).toEqual({ cause: 'faulty', tries: 2 })
    expect(after(silent, resolved(), silent).outage?.tries).toBe(1)
  })

  test('the clock of the service is stored as an offset from ours', () => {
    const state = after(resolved({ server_time: new Date(now + 60_000).toISOString() }))
    expect(state.clockOffsetMs).toBe(60_000)
  })
})

describe('attempts', () => {
  test.each<CheckoutEvent>([
    { type: 'attempt_moved', id: 1, step: 'checking' },
    prepared({ outcome: 'failed', problem: { code: 'internal_error' } }),
    prepared({ outcome: 'ready', order }),
    prepared({ outcome: 'abandoned' }),
    { type: 'lock_settled', id: 1, acquired: true, stored: [] },
    { type: 'payer_announced', id: 1, credited: true },
    { type: 'hash_learned', requestId: 'no', txHash: '0x' },
    { type: 'watch_ended', requestId: 'no', code: 'tx_dropped' },
  ])('an event of an attempt that is over changes nothing: $type', (late) => {
    const second = [resolved(), chosen, failed, chosen]
    expect(screen(after(...second, late))).toMatchObject({ name: 'wallet', step: 'connecting' })
    expect(screen(after(resolved(), walletsDiscovered, chosen, back, late)).name).toBe('pay')
    expect(screen(after(...paying, late)).name).toBe('sent')
    expect(effectsOf(...second, late)).toEqual([])
  })
})

describe('effects', () => {
  const request = expect.objectContaining({ id: `${now}-1`, amount: 25_000_000n, result: 'none' })
  const intentId = 'pi_test_0001'

  test('a request is stored before it is sent to the wallet', () => {
    expect(effectsOf(...requesting)).toEqual([
      { type: 'store', intentId, request },
      { type: 'send_request', requestId: `${now}-1`, wallet, order },
    ])
  })

  test('a retry still lets the wallet pay the fee', () => {
    const choice = { ...chosen, isSponsored: true } as const
    const payment = expect.objectContaining({ isSponsored: true })
    expect(
      effectsOf(resolved(), walletsDiscovered, choice, { type: 'wake_requested' }),
    ).toContainEqual(expect.objectContaining({ type: 'prepare', payment }))
  })

  test('the payer is announced first if only the reference binds', () => {
    const ready = [resolved({ manual: null }), ...requested]
    expect(effectsOf(...ready)).toEqual([{ type: 'announce_payer', id: 1, payer: order.payer }])
    const effects = effectsOf(...ready, { type: 'payer_announced', id: 1, credited: true })
    expect(effects.map(({ type }) => type)).toEqual(['store', 'send_request'])
    const unknown = [...ready, { type: 'payer_announced', id: 1, credited: false } as const]
    expect(screen(after(...unknown))).toMatchObject({ problem: { code: 'network_error' } })
    expect(effectsOf(...unknown)).toEqual([])
  })

  test.each<[string, CheckoutEvent[]]>([
    ['while a wallet prompts', [...requesting, back, chosen]],
    ['while the wallet of another tab prompts', [resolved({}, [storedRequest]), chosen]],
    ['while no node shows the sent payment', [...paying, transactionDropped, chosen]],
    ['after an inconclusive response', [...requesting, unsure, chosen]],
    ['after a reorg', [reorged, chosen]],
    ['once the time is up', [resolved({ expires_at: new Date(now - 1).toISOString() }), chosen]],
    ['once canceled', [resolved({ status: 'canceled' }), chosen]],
    [
      'when another tab has stored a request meanwhile',
      [
        resolved(),
        chosen,
        prepared({ outcome: 'ready', order }),
        { type: 'lock_settled', id: 1, acquired: true, stored: [storedRequest] },
      ],
    ],
    [
      'when another tab has stored a request since the payer insisted',
      [
        resolved({}, [storedRequest]),
        dismissal,
        chosen,
        prepared({ outcome: 'ready', order }),
        {
          type: 'lock_settled',
          id: 1,
          acquired: true,
          stored: [storedRequest, { ...storedRequest, id: 'newer' }],
        },
      ],
    ],
    [
      'for a batch that is unsupported after the payer has gone back',
      [
        resolved(),
        ...requestedAs(1, { method: 'batch' }),
        back,
        walletResponse({ outcome: 'unsupported' }),
      ],
    ],
  ])('no wallet receives a request %s', (_, events) => {
    const kinds = effectsOf(...events).map(({ type }) => type)
    expect(kinds).not.toContain('prepare')
    expect(kinds).not.toContain('send_request')
  })

  test('a tab that holds the lock sends its request, though the lock is no longer free', () => {
    const repeated = [
      chosen,
      prepared({ outcome: 'ready', order }, 2),
      { type: 'lock_settled', id: 2, acquired: false, stored: [] },
    ] satisfies CheckoutEvent[]
    const lockAcquired: CheckoutEvent = { type: 'lock_settled', id: 1, acquired: true, stored: [] }
    const walletEffects = [{ type: 'store' }, { type: 'send_request' }]
    expect(effectsOf(...requesting, declined, ...repeated)).toMatchObject(walletEffects)
    // The first attempt ended before its lock was granted.
    const returned: CheckoutEvent[] = [resolved(), chosen, back]
    expect(effectsOf(...returned, lockAcquired, ...repeated)).toMatchObject(walletEffects)
    expect(effectsOf(...returned, ...repeated)).toEqual([])
  })

  test.each<[string, CheckoutEvent[]]>([
    ['attempt', [resolved(), chosen]],
    ['watch', paying],
    ['copied', [{ type: 'copied', field: 'amount' }]],
  ])('running work is stopped before the same work begins again: %s', (work, events) => {
    const beginnings = {
      ...{ attempt: 'prepare', submit: 'submit', watch: 'watch', copied: 'clear_copied' },
    }
    const effects = effectsOf(...events)
    const begun = effects.findIndex(({ type }) => type === beginnings[work as Work])
    expect(effects.slice(0, begun)).toContainEqual({ type: 'stop', work })
  })

  test.each<[string, Work, CheckoutEvent[]]>([
    ['going back stops the attempt', 'attempt', [resolved(), chosen, back]],
    ['another token stops the attempt', 'attempt', [resolved(), chosen, otherToken]],
    [
      'the request of another tab stops the attempt',
      'attempt',
      [resolved(), chosen, storedElsewhere],
    ],
    ['a partial payment stops the attempt', 'attempt', [resolved(), chosen, partDetected]],
    ['the success of the payment stops the watch', 'watch', [...paying, succeeded]],
    ['the payer’s assurance stops the watch', 'watch', [...paying, dismissal]],
  ])('%s', (_, work, events) => {
    expect(effectsOf(...events)).toContainEqual({ type: 'stop', work })
  })

  test('an unsupported batch is sent as a transaction of the same amount', () => {
    const batch = requestedAs(1, { method: 'batch', amount: 25_000_100n })
    const effects = effectsOf(resolved(), ...batch, walletResponse({ outcome: 'unsupported' }))
    const requestId = `${now}-1`
    const transaction = { ...order, method: 'transaction', amount: 25_000_100n }
    expect(effects).toEqual([{ type: 'send_request', requestId, wallet, order: transaction }])
  })

  const firstRequestId = `${now}-1`
  const lockWithStored: CheckoutEvent = {
    type: 'lock_settled',
    id: 1,
    acquired: true,
    stored: [storedRequest],
  }
  const second = [
    resolved({}, [storedRequest]),
    dismissal,
    ...requested.slice(0, -1),
    lockWithStored,
  ]
  test.each<[string, string[], CheckoutEvent[]]>([
    ['a refusal', [firstRequestId], [...requesting, declined]],
    ['a refusal, which leaves other requests', [firstRequestId], [...second, declined]],
    ['a refusal after the checkout was closed', [firstRequestId], [...second, closed, declined]],
    ['a receipt of a transaction that reverted', [firstRequestId], [...paying, reverted]],
    ['the success of the payment', [firstRequestId], [...paying, succeeded]],
    [
      'a payment that the service has seen, if it is of another tab',
      [storedRequest.id],
      [resolved({ status: 'pending_confirmations' }, [storedRequest])],
    ],
    [
      'the success of the payment, with all other requests',
      [storedRequest.id, firstRequestId],
      [
        ...second,
        sent,
        resolved({ status: 'succeeded', tx_hash: txHash, version: 2 }, [storedRequest]),
      ],
    ],
    ['a partial payment with its hash', [firstRequestId], [...paying, arrivedAsPart]],
  ])('a request is removed by %s', (_, requestIds, events) => {
    expect(effectsOf(...events)).toContainEqual({ type: 'forget', intentId, requestIds })
  })

  test.each<[string, CheckoutEvent[]]>([
    ['an inconclusive response', [...requesting, unsure]],
    ['going back', [...requesting, back]],
    ['a transaction that no node shows', [...paying, transactionDropped]],
    ['a replaced transaction', [...paying, replaced]],
    ['the payer’s assurance that nothing was sent', [...requesting, back, dismissal]],
    ['the end of the intent', [...requesting, expired]],
    ['closing', [...requesting, closed]],
  ])('a request is not removed by %s', (_, events) => {
    expect(effectsOf(...events).map(({ type }) => type)).not.toContain('forget')
    expect(after(...events).requests).toHaveLength(1)
  })

  test('a payment sent after the checkout was closed is stored', () => {
    const effects = effectsOf(...requesting, closed, sent)
    expect(effects[0]).toMatchObject({ type: 'store', request: { result: 'sent', txHash } })
  })
})

test('the QR content and the copied field are stored', () => {
  const state = after(
    { type: 'qr_chosen', content: 'address' },
    { type: 'copied', field: 'amount' },
  )
  expect(state).toMatchObject({ qrContent: 'address', copied: 'amount' })
  expect(effectsOf({ type: 'copied', field: null })).toEqual([])
})
