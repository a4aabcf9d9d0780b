import type { TransferAuthorization } from '@payment-intents/contract'
import { describe, expect, test } from 'vitest'
import { authorization, gaslessIntent, intent, payer, txHash } from '../test/intent.ts'
import { reduce } from './checkout.ts'
import type { WalletRequest } from './keptRequests.ts'
import { noticeFor } from './notice.ts'
import type { Intent } from './parseIntent.ts'
import { onCloseAsked, screen } from './screen.ts'
import {
  type CheckoutEffect,
  type CheckoutEvent,
  type CheckoutState,
  initialState,
  type Work,
} from './state.ts'
import type { Step } from './step.ts'
import type { WalletAnswer } from './wallet/askWallet.ts'
import type { Authorization } from './wallet/authorization.ts'
import type { Wallet } from './wallet/discoverWallets.ts'
import type { Prepared } from './wallet/prepareOrder.ts'
import type { Order } from './wallet/transfer.ts'

const wallet: Wallet = {
  id: 'w',
  source: 'browser',
  name: 'Wallet',
  icon: null,
  provider: { request: async () => null },
}
const order: Order = {
  payer: `0x${'22'.repeat(20)}`,
  chainId: '0x14a34',
  token: intent().token_address,
  data: '0x',
  reference: intent().payment_reference,
  amount: 25_000_000n,
  method: 'transaction',
  authorization: null,
  fee: null,
}
const now = Date.now()
const found: CheckoutEvent = { type: 'wallets_found', wallets: [wallet] }
const chosen: CheckoutEvent = { type: 'wallet_chosen', wallet }
/** A wallet is chosen and asked to pay. */
const asked = askedAs(1)
const sent = answered({ outcome: 'sent', txHash, batchId: null })
const asking = [resolved(), ...asked]
const paying = [...asking, sent]
const seen = resolved({ status: 'pending_confirmations', version: 2 })
const succeeded = resolved({ status: 'succeeded', tx_hash: txHash, version: 2 })
const expired = resolved({ status: 'expired', version: 2 })
const canceled = resolved({ status: 'canceled', version: 2 })
const leaving: CheckoutEvent = { type: 'leave_asked' }
const closed: CheckoutEvent = { type: 'closed' }
const otherToken: CheckoutEvent = { type: 'unknown_token' }
const kept: WalletRequest = {
  id: 'of another tab',
  amount: 25_000_000n,
  askedAt: now,
  answer: 'none',
  txHash: null,
  batchId: null,
  authorization: null,
}
const keptElsewhere: CheckoutEvent = { type: 'kept_changed', kept: [kept] }
const keptSent: WalletRequest = { ...kept, answer: 'sent', txHash }
const part = { exceptions: ['underpaid' as const], amount_received_units: 1, manual: null }
const partSeen = resolved({ ...part, version: 2 })
const arrivedAsPart = resolved({ ...part, tx_hash: txHash, version: 2 })
const partHash = `0x${'11'.repeat(32)}` as const
const notSeen = watchEnded('tx_dropped')
const replaced = watchEnded('tx_replaced')
const reverted = watchEnded('tx_reverted')
const insisted: CheckoutEvent = { type: 'insisted' }
const reorged = resolved({ exceptions: ['reorged'], version: 3 })
const failed = prepared({ outcome: 'failed', problem: { code: 'user_rejected' } })
const declined = refused({ code: 'user_rejected' })
const back: CheckoutEvent = { type: 'attempt_left' }
const unsure = refused({ code: 'internal_error', unsure: true })

function resolved(
  changes: Partial<Intent> = {},
  known: readonly WalletRequest[] = [],
): CheckoutEvent {
  return { type: 'resolved', intent: intent(changes), kept: known }
}

function askedAs(id: number, changes: Partial<Order> = {}): CheckoutEvent[] {
  return [
    chosen,
    prepared({ outcome: 'ready', order: { ...order, ...changes } }, id),
    { type: 'lock_answered', id, taken: true, kept: [] },
  ]
}

function prepared(prepared: Prepared, id = 1): CheckoutEvent {
  return { type: 'attempt_prepared', id, prepared }
}

function answered(answer: WalletAnswer, attempt = 1): CheckoutEvent {
  return { type: 'request_answered', requestId: `${now}-${attempt}`, answer }
}

function refused(problem: Extract<WalletAnswer, { outcome: 'refused' }>['problem']) {
  return answered({ outcome: 'refused', problem })
}

function problem(code: string, mayPay: boolean) {
  return { name: 'problem', problem: { code }, mayPay }
}

function watchEnded(code: 'tx_dropped' | 'tx_replaced' | 'tx_reverted'): CheckoutEvent {
  return { type: 'watch_ended', requestId: `${now}-1`, code }
}

function steps(...events: CheckoutEvent[]): Step[] {
  let state = initialState
  return events.map((event) => {
    const step = reduce(freeze(state), event, now)
    state = step.state
    return step
  })
}

function after(...events: CheckoutEvent[]): CheckoutState {
  return steps(...events).at(-1)?.state ?? initialState
}

/** The effects of the last event. */
function effectsOf(...events: CheckoutEvent[]): readonly CheckoutEffect[] {
  return steps(...events).at(-1)?.effects ?? []
}

function freeze(state: CheckoutState): CheckoutState {
  return Object.freeze(state)
}

describe('the screen', () => {
  test.each<[string, CheckoutEvent[], object]>([
    ['before the first answer', [], { name: 'loading' }],
    [
      'while the service does not answer',
      [{ type: 'poll_failed', cause: 'offline' }],
      { name: 'loading' },
    ],
    ['for an unknown secret', [{ type: 'not_found' }], { name: 'not_found' }],
    ['for another token', [resolved(), otherToken], { name: 'unknown_token' }],
    [
      'with wallets',
      [found, resolved()],
      { name: 'pay', rail: 'wallets', rails: ['wallets', 'qr'] },
    ],
    ['without wallets', [resolved()], { name: 'pay', rail: 'qr' }],
    ['of a manual intent', [found, resolved({ lane: 'manual' })], { name: 'pay', rail: 'qr' }],
    [
      'of an intent that only a reference can bind',
      [resolved({ manual: null, lane: 'manual' })],
      { name: 'pay', rail: 'wallets', rails: ['wallets'] },
    ],
    [
      'of an underpaid intent, whose rest only a reference can bind',
      [resolved(part)],
      { name: 'pay', rail: 'wallets', rails: ['wallets'] },
    ],
    [
      'with the rail chosen',
      [found, resolved(), { type: 'rail_chosen', rail: 'qr' }],
      { rail: 'qr' },
    ],
    ['once a wallet is chosen', [resolved(), chosen], { name: 'wallet', step: 'connecting' }],
    [
      'as the wallet goes on',
      [resolved(), chosen, { type: 'attempt_moved', id: 1, step: 'checking' }],
      { name: 'wallet', step: 'checking', order: null },
    ],
    ['as the wallet is asked', asking, { name: 'wallet', step: 'confirming', order }],
    ['on going back while the wallet asks', [...asking, back], { name: 'asked', wallet }],
    ['of what another tab has asked for', [resolved({}, [kept])], { name: 'asked', wallet: null }],
    [
      'as another tab asks while this one connects',
      [resolved(), chosen, keptElsewhere],
      { name: 'asked' },
    ],
    [
      'as the wallet of another tab refuses',
      [found, resolved({}, [kept]), { type: 'kept_changed', kept: [] }],
      { name: 'pay', wasAsked: false },
    ],
    [
      'after a failure on the way to the wallet',
      [resolved(), chosen, failed],
      problem('user_rejected', false),
    ],
    ['after a refusal', [...asking, declined], problem('user_rejected', false)],
    [
      'after a refusal that came when the payer had gone back',
      [found, ...asking, back, declined],
      { name: 'pay', wasAsked: false },
    ],
    [
      'after an inconclusive answer',
      [...asking, unsure],
      { name: 'problem', problem: { code: 'internal_error', unsure: true }, mayPay: true },
    ],
    ['on going back from that', [...asking, unsure, back], { name: 'asked' }],
    ['after going back', [found, resolved(), chosen, failed, back], { name: 'pay' }],
    ['on trying again', [resolved(), chosen, failed, chosen], { name: 'wallet' }],
    ['once sent', paying, { name: 'sent', how: 'sent', txHash }],
    ['sent after going back', [...asking, back, sent], { name: 'sent', how: 'sent' }],
    [
      'of what was sent before',
      [resolved({}, [keptSent])],
      { name: 'sent', how: 'resumed', txHash },
    ],
    [
      'of a batch whose transaction became known',
      [
        ...asking,
        answered({ outcome: 'sent', txHash: null, batchId: '0x01' }),
        { type: 'hash_learned', requestId: `${now}-1`, txHash },
      ],
      { name: 'sent', txHash },
    ],
    ['of a transaction that no node shows', [...paying, notSeen], problem('tx_dropped', true)],
    ['of a replaced transaction', [...paying, replaced], problem('tx_replaced', true)],
    ['of a transaction that reverted', [...paying, reverted], problem('tx_reverted', false)],
    [
      'of a transaction that no node showed, seen after all',
      [...paying, notSeen, seen],
      { name: 'confirming', stillAsks: false },
    ],
    [
      'seen while a wallet still asks',
      [...asking, back, seen],
      { name: 'confirming', stillAsks: true },
    ],
    [
      'once the payer insists that nothing was sent',
      [found, ...asking, back, insisted],
      { name: 'pay', wasAsked: true },
    ],
    [
      'sent after the payer insisted that nothing was sent',
      [...asking, back, insisted, sent],
      { name: 'sent' },
    ],
    [
      'after the refusal of a second request, with the first still open',
      [
        ...asking,
        back,
        insisted,
        ...askedAs(2),
        answered({ outcome: 'refused', problem: { code: 'user_rejected' } }, 2),
      ],
      { name: 'problem', mayPay: true },
    ],
    ['after a reorg, with a payment sent elsewhere', [reorged], { name: 'sent', how: 'reorged' }],
    [
      'after a reorg, with a payment sent here',
      [...paying, reorged],
      { name: 'sent', how: 'reorged', txHash },
    ],
    ['on paying again after a reorg', [found, reorged, insisted], { name: 'pay' }],
    ['on insisting on what was sent', [found, ...paying, insisted], { name: 'pay' }],
    ['while paying again after a reorg', [reorged, insisted, chosen], { name: 'wallet' }],
    ['leaving after a reorg', [reorged, leaving], { name: 'leaving', sent: true }],
    [
      'after another reorg',
      [
        reorged,
        insisted,
        resolved({ status: 'pending_confirmations', version: 4 }),
        resolved({ exceptions: ['reorged'], version: 5 }),
      ],
      { name: 'sent', how: 'reorged' },
    ],
    [
      'of a part whose rest is missing after a reorg',
      [found, resolved({ exceptions: ['underpaid', 'reorged'], amount_received_units: 1 })],
      { name: 'pay' },
    ],
    [
      'once seen',
      [resolved(), resolved({ status: 'pending_confirmations', tx_hash: txHash, version: 2 })],
      { name: 'confirming', txHash },
    ],
    ['once paid', [resolved(), succeeded], { name: 'paid', again: false, txHash }],
    ['of what was paid before', [resolved({ status: 'succeeded' })], { name: 'paid', again: true }],
    ['once expired', [resolved(), expired], { name: 'expired', moved: 'unknown', txHash: null }],
    ['expired while the payment was under way', [...paying, expired], { name: 'expired', txHash }],
    ['expired while the wallet asks', [...asking, expired], { name: 'expired', moved: 'asked' }],
    [
      'canceled while the wallet of another tab asks',
      [resolved({ status: 'canceled' }, [kept])],
      { name: 'canceled', moved: 'asked' },
    ],
    [
      'approved after it was canceled',
      [...asking, canceled, sent],
      { name: 'canceled', moved: 'sent', txHash },
    ],
    [
      'declined after it was canceled',
      [...asking, canceled, declined],
      { name: 'canceled', moved: 'unknown' },
    ],
    ['once canceled', [resolved({ status: 'canceled' })], { name: 'canceled', moved: 'unknown' }],
    [
      'expired while what was sent has no hash',
      [...asking, answered({ outcome: 'sent', txHash: null, batchId: null }), expired],
      { name: 'expired', moved: 'sent' },
    ],
    [
      'canceled while the payment was under way',
      [...paying, canceled],
      { name: 'canceled', moved: 'sent', txHash },
    ],
    [
      'canceled before the money came',
      [resolved({ status: 'canceled', exceptions: ['late'], amount_received_units: 1 })],
      { name: 'canceled', moved: 'sent' },
    ],
    [
      'of a success that a reorg removed',
      [resolved({ status: 'succeeded', exceptions: ['reorged'], amount_received_units: 0 })],
      { name: 'sent', how: 'reorged' },
    ],
    [
      'with the rest of an underpaid intent sent',
      [
        resolved({ ...part, tx_hash: partHash }),
        ...asked,
        { type: 'payer_announced', id: 1, known: true },
        sent,
      ],
      { name: 'sent', txHash },
    ],
    [
      'when a part arrives while a wallet connects to pay the whole',
      [found, resolved(), chosen, partSeen],
      { name: 'pay' },
    ],
    [
      'when a part arrives while a wallet is asked for the whole',
      [found, ...asking, partSeen],
      { name: 'asked' },
    ],
    [
      'when what was sent has arrived as a part',
      [found, ...paying, arrivedAsPart],
      { name: 'pay', wasAsked: false },
    ],
    ['of a status added later', [found, resolved({ status: 'on_hold' })], { name: 'loading' }],
    [
      'leaving while confirming',
      [resolved({ status: 'pending_confirmations', tx_hash: txHash }), leaving],
      { name: 'leaving', sent: true },
    ],
    ['leaving while the wallet asks', [...asking, leaving], { name: 'leaving', sent: false }],
    ['staying after all', [...asking, leaving, { type: 'stayed' }], { name: 'wallet' }],
    ['paid while leaving', [...paying, leaving, succeeded], { name: 'paid' }],
    [
      'refused while leaving, and tried again',
      [resolved(), chosen, leaving, failed, chosen],
      { name: 'wallet' },
    ],
  ])('%s', (_, events, expected) => {
    expect(screen(after(...events))).toMatchObject(expected)
  })
})

test.each([
  ['the first is opened', { rails: ['qr', 'wallets'] }, { rail: 'qr', rails: ['qr', 'wallets'] }],
  ['before the lane', { rails: ['wallets', 'qr'], lane: 'manual' }, { rail: 'wallets' }],
  ['a hidden one is not offered', { rails: ['wallets'] }, { rail: 'wallets', rails: ['wallets'] }],
  [
    'but where no wallet is there',
    { rails: ['wallets'], found: [] },
    { rail: 'qr', rails: ['wallets', 'qr'] },
  ],
  [
    'not on a phone with links',
    { rails: ['wallets'], found: [], onPhone: true },
    { rails: ['wallets'] },
  ],
  [
    'wallets alone pay without a tag',
    { rails: ['qr'], manual: null },
    { rail: 'wallets', rails: ['wallets'] },
  ],
] as const)('rails that the page orders: %s', (_, given, expected) => {
  const {
    rails,
    found = [wallet],
    onPhone = false,
    ...changes
  } = given as {
    rails: CheckoutState['rails']
    found?: Wallet[]
    onPhone?: boolean
  }
  const state = { ...initialState, rails, onPhone, wallets: found, intent: intent(changes) }
  expect(screen(state)).toMatchObject(expected)
})

test('the rest of an underpaid intent is shown as a QR code wherever it can be paid by hand', () => {
  const manual = { payable_amount_units: 5_000_100, payment_uri: 'ethereum:…' }
  const rest = { exceptions: ['underpaid' as const], amount_received_units: 20_000_000, manual }
  expect(screen(after(found, resolved(rest)))).toMatchObject({ rails: ['wallets', 'qr'] })
})

describe('answers of the service', () => {
  test('an older version never replaces a newer one', () => {
    const state = after(resolved({ status: 'succeeded', version: 3 }), resolved({ version: 2 }))
    expect(state.intent?.status).toBe('succeeded')
  })

  test('any answer clears the trouble', () => {
    const silent: CheckoutEvent[] = [
      resolved({ version: 3 }),
      { type: 'poll_failed', cause: 'faulty' },
    ]
    expect(after(...silent, resolved({ version: 2 })).trouble).toBeNull()
    expect(after(...silent, resolved({ version: 4 })).trouble).toBeNull()
  })

  test('failed tries are counted in a row', () => {
    const silent: CheckoutEvent = { type: 'poll_failed', cause: 'faulty' }
    expect(after(silent, silent).trouble).toEqual({ cause: 'faulty', tries: 2 })
    expect(after(silent, resolved(), silent).trouble?.tries).toBe(1)
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
    { type: 'lock_answered', id: 1, taken: true, kept: [] },
    { type: 'payer_announced', id: 1, known: true },
    { type: 'hash_learned', requestId: 'no', txHash: '0x' },
    { type: 'watch_ended', requestId: 'no', code: 'tx_dropped' },
  ])('an event of an attempt that is over changes nothing: $type', (late) => {
    const second = [resolved(), chosen, failed, chosen]
    expect(screen(after(...second, late))).toMatchObject({ name: 'wallet', step: 'connecting' })
    expect(screen(after(resolved(), found, chosen, back, late)).name).toBe('pay')
    expect(screen(after(...paying, late)).name).toBe('sent')
    expect(effectsOf(...second, late)).toEqual([])
  })
})

describe('effects', () => {
  const request = expect.objectContaining({ id: `${now}-1`, amount: 25_000_000n, answer: 'none' })
  const intentId = 'pi_test_0001'

  test('a request is stored before the wallet is asked', () => {
    expect(effectsOf(...asking)).toEqual([
      { type: 'keep', intentId, request },
      { type: 'ask', requestId: `${now}-1`, wallet, order },
    ])
  })

  test('a wallet that may pay the fee may do so when it is asked again', () => {
    const choice = { ...chosen, isSponsored: true } as const
    const payment = expect.objectContaining({ isSponsored: true })
    expect(effectsOf(resolved(), found, choice, { type: 'asked_again' })).toContainEqual(
      expect.objectContaining({ type: 'prepare', payment }),
    )
  })

  test('the payer is announced first where only the reference binds', () => {
    const ready = [resolved({ manual: null }), ...asked]
    expect(effectsOf(...ready)).toEqual([{ type: 'announce_payer', id: 1, payer: order.payer }])
    const effects = effectsOf(...ready, { type: 'payer_announced', id: 1, known: true })
    expect(effects.map(({ type }) => type)).toEqual(['keep', 'ask'])
    const unknown = [...ready, { type: 'payer_announced', id: 1, known: false } as const]
    expect(screen(after(...unknown))).toMatchObject({ problem: { code: 'network_error' } })
    expect(effectsOf(...unknown)).toEqual([])
  })

  test.each<[string, CheckoutEvent[]]>([
    ['while a wallet is asked', [...asking, back, chosen]],
    ['while the wallet of another tab is asked', [resolved({}, [kept]), chosen]],
    ['while what was sent is not seen', [...paying, notSeen, chosen]],
    ['after an inconclusive answer', [...asking, unsure, chosen]],
    ['after a reorg', [reorged, chosen]],
    ['once the time is up', [resolved({ expires_at: new Date(now - 1).toISOString() }), chosen]],
    ['once canceled', [resolved({ status: 'canceled' }), chosen]],
    [
      'when another tab has asked meanwhile',
      [
        resolved(),
        chosen,
        prepared({ outcome: 'ready', order }),
        { type: 'lock_answered', id: 1, taken: true, kept: [kept] },
      ],
    ],
    [
      'when another tab has asked since the payer insisted',
      [
        resolved({}, [kept]),
        insisted,
        chosen,
        prepared({ outcome: 'ready', order }),
        { type: 'lock_answered', id: 1, taken: true, kept: [kept, { ...kept, id: 'newer' }] },
      ],
    ],
    [
      'for a batch that is unsupported after the payer has gone back',
      [resolved(), ...askedAs(1, { method: 'batch' }), back, answered({ outcome: 'unsupported' })],
    ],
  ])('no wallet is asked %s', (_, events) => {
    const kinds = effectsOf(...events).map(({ type }) => type)
    expect(kinds).not.toContain('prepare')
    expect(kinds).not.toContain('ask')
  })

  test('a tab that holds the lock asks, though the lock is no longer free', () => {
    const again = [
      chosen,
      prepared({ outcome: 'ready', order }, 2),
      { type: 'lock_answered', id: 2, taken: false, kept: [] },
    ] satisfies CheckoutEvent[]
    const taken: CheckoutEvent = { type: 'lock_answered', id: 1, taken: true, kept: [] }
    const asks = [{ type: 'keep' }, { type: 'ask' }]
    expect(effectsOf(...asking, declined, ...again)).toMatchObject(asks)
    // The first attempt was left before its lock was answered.
    const left: CheckoutEvent[] = [resolved(), chosen, back]
    expect(effectsOf(...left, taken, ...again)).toMatchObject(asks)
    expect(effectsOf(...left, ...again)).toEqual([])
  })

  test.each<[string, CheckoutEvent[]]>([
    ['attempt', [resolved(), chosen]],
    ['watch', paying],
    ['copied', [{ type: 'copied', field: 'amount' }]],
  ])('running work is stopped before the same begins again: %s', (work, events) => {
    const beginnings = {
      ...{ attempt: 'prepare', hand_in: 'hand_in', watch: 'watch', copied: 'clear_copied' },
    }
    const effects = effectsOf(...events)
    const begun = effects.findIndex(({ type }) => type === beginnings[work as Work])
    expect(effects.slice(0, begun)).toContainEqual({ type: 'stop', work })
  })

  test.each<[string, Work, CheckoutEvent[]]>([
    ['an attempt, by going back', 'attempt', [resolved(), chosen, back]],
    ['an attempt, by another token', 'attempt', [resolved(), chosen, otherToken]],
    ['an attempt, by the request of another tab', 'attempt', [resolved(), chosen, keptElsewhere]],
    ['an attempt, by a part', 'attempt', [resolved(), chosen, partSeen]],
    ['watching, by the service', 'watch', [...paying, succeeded]],
    ['watching, by the payer', 'watch', [...paying, insisted]],
  ])('work is stopped: %s', (_, work, events) => {
    expect(effectsOf(...events)).toContainEqual({ type: 'stop', work })
  })

  test('an unsupported batch is sent as a transaction of the same amount', () => {
    const batch = askedAs(1, { method: 'batch', amount: 25_000_100n })
    const effects = effectsOf(resolved(), ...batch, answered({ outcome: 'unsupported' }))
    const requestId = `${now}-1`
    const transaction = { ...order, method: 'transaction', amount: 25_000_100n }
    expect(effects).toEqual([{ type: 'ask', requestId, wallet, order: transaction }])
  })

  const forgets = { type: 'forget', intentId, but: [] }
  test.each<[string, CheckoutEvent[]]>([
    ['a refusal', [...asking, declined]],
    ['a receipt of a transaction that reverted', [...paying, reverted]],
    ['the service', [...paying, succeeded]],
    ['the service, of another tab', [resolved({ status: 'pending_confirmations' }, [kept])]],
    ['its hash as a partial payment', [...paying, arrivedAsPart]],
    ['a refusal after the checkout was closed', [...asking, closed, declined]],
  ])('a request is removed by %s', (_, events) => {
    expect(effectsOf(...events)).toContainEqual(forgets)
  })

  test.each<[string, CheckoutEvent[]]>([
    ['an inconclusive answer', [...asking, unsure]],
    ['going back', [...asking, back]],
    ['a transaction that no node shows', [...paying, notSeen]],
    ['a replaced transaction', [...paying, replaced]],
    ['the payer’s assurance that nothing was sent', [...asking, back, insisted]],
    ['the end of the intent', [...asking, expired]],
    ['closing', [...asking, closed]],
  ])('a request is not removed by %s', (_, events) => {
    expect(effectsOf(...events).map(({ type }) => type)).not.toContain('forget')
    expect(after(...events).requests).toHaveLength(1)
  })

  test('a payment sent after the checkout was closed is stored', () => {
    const effects = effectsOf(...asking, closed, sent)
    expect(effects[0]).toMatchObject({ type: 'keep', request: { answer: 'sent', txHash } })
  })
})

describe('paying without gas', () => {
  const intentId = 'pi_test_0001'
  const requestId = `${now}-1`
  const offer = gaslessIntent()
  const message = { from: payer, ...offer.gasless?.message } as TransferAuthorization
  const signable: Order = {
    ...{ ...order, payer, method: 'authorization' },
    authorization: { domain: offer.gasless?.domain as Authorization['domain'], message },
  }
  const signature = `0x${'11'.repeat(65)}`
  const offered = (changes: Partial<Intent> = {}, known: readonly WalletRequest[] = []) =>
    resolved({ ...offer, ...changes }, known)
  const signing = [found, offered(), ...askedAs(1, signable)]
  const signed = answered({ outcome: 'signed', signature })
  const taken: CheckoutEvent = { type: 'handed_in', requestId, answer: { outcome: 'taken' } }
  const refusedAs = (reason: string): CheckoutEvent => {
    return { type: 'handed_in', requestId, answer: { outcome: 'refused', reason } }
  }
  const relayed = (changes: Partial<NonNullable<Intent['authorization']>> = {}, version = 2) =>
    offered({ gasless: null, authorization: authorization(changes), version })
  const { validBefore } = message
  const asked = { from: payer, validBefore: Number(validBefore) }
  const keptUnsigned: WalletRequest = { ...kept, authorization: asked }
  const keptSigned: WalletRequest = { ...keptUnsigned, answer: 'sent' }
  const afterDeadline = {
    ...{ status: 'expired', version: 3 },
    server_time: new Date(Number(validBefore) * 1000).toISOString(),
  }
  const gone: CheckoutEvent = { type: 'askers_gone', requestIds: [kept.id] }

  test.each<[string, CheckoutEvent[], object]>([
    ['as the wallet is asked', signing, { name: 'wallet', step: 'confirming', order: signable }],
    ['once signed', [...signing, signed], { name: 'sent', how: 'signed' }],
    ['once handed in', [...signing, signed, taken], { name: 'sent', how: 'relayed' }],
    ['of one handed in here', [...signing, signed, relayed()], { name: 'sent', how: 'relayed' }],
    ['of one handed in anywhere', [found, relayed()], { name: 'sent', how: 'relayed' }],
    [
      'of one that is submitted',
      [found, relayed({ tx_hash: txHash })],
      { name: 'sent', how: 'relayed', txHash },
    ],
    [
      'of one that is mined',
      [found, relayed({ status: 'used' })],
      { name: 'sent', how: 'relayed' },
    ],
    [
      'of one on its way, though the payer insists',
      [found, relayed(), insisted, chosen],
      { name: 'sent', how: 'relayed' },
    ],
    [
      'handed in elsewhere while a wallet connects here',
      [found, offered(), chosen, relayed()],
      { name: 'sent', how: 'relayed' },
    ],
    [
      'handed in elsewhere while a wallet is asked to sign here',
      [...signing, relayed()],
      { name: 'sent', how: 'relayed' },
    ],
    ['after a refusal in the wallet', [...signing, declined], problem('user_rejected', false)],
    ['on going back while the wallet asks', [...signing, back], { name: 'pay', wasAsked: false }],
    [
      'as an authorization is given up',
      [...signing, signed, taken, relayed({ status: 'refused', reason: 'insufficient_token' })],
      problem('insufficient_token', false),
    ],
    [
      'as the relayer cannot afford it any more',
      [...signing, signed, taken, relayed({ status: 'refused', reason: 'gasless_unavailable' })],
      { name: 'problem', problem: { code: 'internal_error', needsFee: true }, mayPay: false },
    ],
    ['of one given up before', [found, relayed({ status: 'refused' })], { name: 'pay' }],
    [
      'of one given up, handed in before a reload',
      [found, offered({ authorization: authorization({ status: 'expired' }) }, [keptSigned])],
      { name: 'pay', wasAsked: false },
    ],
    [
      'of an earlier payer’s that was given up',
      [
        ...[...signing, signed, taken],
        relayed({ status: 'refused', from: `0x${'33'.repeat(20)}` }),
      ],
      { name: 'sent', how: 'relayed' },
    ],
    ['after a reload while the wallet asks', [offered({}, [keptUnsigned])], { name: 'asked' }],
    [
      'after a reload, once no page waits for the signature',
      [found, offered({}, [keptUnsigned]), gone],
      { name: 'pay', wasAsked: false },
    ],
    [
      'after a reload, of what was handed in',
      [offered({}, [keptSigned]), gone],
      { name: 'sent', how: 'resumed' },
    ],
    ['of a transfer, though no page waits', [resolved({}, [kept]), gone], { name: 'asked' }],
    [
      'expired while the wallet asks',
      [...signing, offered(afterDeadline as Partial<Intent>)],
      { name: 'expired', moved: 'unknown' },
    ],
    [
      'expired when the wallet was asked before',
      [offered(afterDeadline as Partial<Intent>, [keptUnsigned])],
      { name: 'expired', moved: 'unknown' },
    ],
    [
      'expired while it is on its way',
      [
        offered({ ...(afterDeadline as Partial<Intent>), authorization: authorization() }, [
          keptSigned,
        ]),
      ],
      { name: 'expired', moved: 'sent' },
    ],
    [
      'leaving while the wallet asks',
      [...signing, leaving],
      { name: 'leaving', sent: false, signs: true },
    ],
    [
      'leaving before it is handed in',
      [...signing, signed, leaving],
      { name: 'leaving', sent: false, signs: true },
    ],
    [
      'leaving once it is handed in',
      [...signing, signed, taken, leaving],
      { name: 'leaving', sent: true },
    ],
  ])('the screen %s', (_, events, expected) => {
    expect(screen(after(...events))).toMatchObject(expected)
  })

  test.each([
    ['insufficient_token', { code: 'insufficient_token' }],
    ['address_blocked', { code: 'address_blocked' }],
    ['token_paused', { code: 'token_paused' }],
    ['payment_in_flight', { code: 'request_pending', otherTab: true }],
    ['gasless_unavailable', { code: 'internal_error', needsFee: true }],
    ['signature_invalid', { code: 'internal_error', needsFee: true }],
    ['one added later', { code: 'internal_error', needsFee: true }],
  ])(
    'the service does not take it (%s): nothing is paid, and the payer learns why',
    (reason, why) => {
      const events = [...signing, signed, refusedAs(reason)]
      expect(screen(after(...events))).toMatchObject({
        name: 'problem',
        problem: why,
        mayPay: false,
      })
      expect(effectsOf(...events)).toEqual([{ type: 'forget', intentId, but: [] }])
    },
  )

  test('an authorization that was used before is a payment', () => {
    const events = [...signing, signed, refusedAs('authorization_used')]
    expect(screen(after(...events))).toMatchObject({ name: 'sent', how: 'duplicate' })
    expect(effectsOf(...events)).toMatchObject([{ type: 'keep', request: { answer: 'duplicate' } }])
  })

  test('a request is stored before the wallet is asked, and again before it is handed in', () => {
    const request = expect.objectContaining({ answer: 'none', authorization: asked })
    expect(effectsOf(...signing)).toEqual([
      { type: 'keep', intentId, request },
      { type: 'ask', requestId, wallet, order: signable },
    ])
    expect(effectsOf(...signing, signed)).toMatchObject([
      { type: 'keep', request: { answer: 'signed' } },
      { type: 'stop', work: 'hand_in' },
      { type: 'hand_in', requestId, order: signable, signature },
    ])
  })

  test.each<[string, CheckoutEvent[]]>([
    ['gone back', [...signing, back]],
    ['closed the checkout', [...signing, closed]],
    ['been shown another authorization', [...signing, relayed()]],
    ['been shown the end', [...signing, canceled]],
    ['been told that a part arrived', [...signing, offered({ ...part, version: 2 })]],
  ])('a signature is not handed in once the payer has %s', (_, events) => {
    expect(effectsOf(...events)).toContainEqual({ type: 'forget', intentId, but: [] })
    expect(after(...events).requests).toEqual([])
    expect(effectsOf(...events, signed)).toEqual([])
  })

  test('whether a page waits for a signature is found out on every answer', () => {
    const looks = { type: 'find_askers', intentId, requestIds: [kept.id] }
    expect(effectsOf(offered({}, [keptUnsigned]))).toContainEqual(looks)
    for (const others of [[kept], [keptSigned], []]) {
      expect(effectsOf(offered({}, others)).map(({ type }) => type)).not.toContain('find_askers')
    }
    expect(effectsOf(...signing, offered({ version: 2 })).map(({ type }) => type)).toEqual([])
  })

  test('a wallet that cannot sign is sent a transfer, by the next click', () => {
    const cannot = refused({ code: 'method_unsupported', needsFee: true })
    expect(screen(after(...signing, cannot))).toMatchObject({ name: 'problem', mayPay: false })
    expect(effectsOf(...signing, cannot).map(({ type }) => type)).not.toContain('ask')
    const payment = expect.objectContaining({ gasless: null })
    expect(effectsOf(...signing, cannot, chosen)).toContainEqual(
      expect.objectContaining({ type: 'prepare', payment }),
    )
    const other: CheckoutEvent = { type: 'wallet_chosen', wallet: { ...wallet, id: 'other' } }
    const { domain, message: terms } = offer.gasless ?? {}
    expect(effectsOf(...signing, cannot, other)).toContainEqual(
      expect.objectContaining({
        payment: expect.objectContaining({ gasless: { domain, message: terms } }),
      }),
    )
  })

  test('the nonce binds it, so that no payer is announced', () => {
    const alone = [offered({ manual: null }), ...askedAs(1, signable)]
    expect(effectsOf(...alone).map(({ type }) => type)).toEqual(['keep', 'ask'])
  })

  test('no wallet is asked while one is on its way, whatever the payer is sure of', () => {
    expect(effectsOf(found, relayed(), insisted, chosen)).toEqual([])
  })

  test('on its way, no callback is called for it', () => {
    expect(noticeFor(after(...signing, signed, taken, relayed({ tx_hash: txHash })))).toBeNull()
  })
})

test('the QR content and what was copied are stored', () => {
  const state = after(
    { type: 'qr_chosen', content: 'address' },
    { type: 'copied', field: 'amount' },
  )
  expect(state).toMatchObject({ qrContent: 'address', copied: 'amount' })
  expect(effectsOf({ type: 'copied', field: null })).toEqual([])
})

describe('closing', () => {
  const pending = resolved({ status: 'pending_confirmations', tx_hash: txHash })
  test.each<[string, CheckoutEvent[], string, string]>([
    ['loading', [], 'close', 'close'],
    ['ready to pay', [resolved()], 'close', 'close'],
    ['the wallet is asked', asking, 'warn', 'ignore'],
    ['a wallet was asked', [resolved({}, [kept])], 'warn', 'warn'],
    ['a payment was sent', paying, 'warn', 'warn'],
    ['confirming', [pending], 'warn', 'warn'],
    ['waiting after a reorg', [reorged], 'warn', 'warn'],
    ['warned', [pending, leaving], 'close', 'close'],
    ['warned that the wallet still asks', [...asking, leaving], 'close', 'ignore'],
    ['paid', [resolved({ status: 'succeeded' })], 'close', 'close'],
    ['a problem', [resolved(), chosen, failed], 'close', 'close'],
  ])('while %s', (_, events, byButton, byGesture) => {
    expect(onCloseAsked(after(...events), 'button')).toBe(byButton)
    expect(onCloseAsked(after(...events), 'gesture')).toBe(byGesture)
  })
})

describe('the notice for the page', () => {
  const silent = (cause: 'offline' | 'rate_limited' | 'faulty'): CheckoutEvent[] =>
    Array.from({ length: 3 }, () => ({ type: 'poll_failed', cause }))
  const payment = { payment_intent_id: 'pi_test_0001', tx_hash: txHash }

  test.each<[string, CheckoutEvent[], object | null]>([
    ['none while it loads', [], null],
    ['none while connecting', [found, resolved(), chosen], null],
    ['none of a request that another tab has made', [resolved({}, [kept])], null],
    ['none of a payment that only the wallet has seen', paying, null],
    [
      'pending once seen on chain',
      [resolved({ status: 'pending_confirmations', tx_hash: txHash })],
      { name: 'pending', payment },
    ],
    ['success', [resolved({ status: 'succeeded', tx_hash: txHash })], { name: 'success', payment }],
    [
      'none of a success that a reorg removed',
      [resolved({ status: 'succeeded', exceptions: ['reorged'], tx_hash: null })],
      null,
    ],
    [
      'a payment that the wallet had sent before',
      [...asking, answered({ outcome: 'duplicate', txHash: null, batchId: null })],
      { name: 'error', code: 'duplicate_submission' },
    ],
    [
      'a transaction that is not seen',
      [...paying, notSeen],
      { name: 'error', code: 'tx_dropped', detail: 'tx_dropped' },
    ],
    [
      'a refusal',
      [...asking, declined],
      { name: 'error', code: 'user_rejected', detail: 'user_rejected' },
    ],
    ['expiry', [resolved({ status: 'expired' })], { name: 'error', code: 'intent_expired' }],
    [
      'cancellation',
      [resolved({ status: 'canceled' })],
      { name: 'error', code: 'intent_canceled' },
    ],
    ['an unknown secret', [{ type: 'not_found' }], { name: 'error', code: 'intent_not_found' }],
    [
      'an intent that only a wallet can pay, without one',
      [resolved({ manual: null })],
      { name: 'error', code: 'wallet_not_found' },
    ],
    ['none of a short outage', silent('offline').slice(1), null],
    ['a lasting outage', silent('offline'), { name: 'error', code: 'network_error' }],
    ['a busy service', silent('rate_limited'), { name: 'error', code: 'rate_limited' }],
    ['a broken service', silent('faulty'), { name: 'error', code: 'internal_error' }],
  ])('%s', (_, events, expected) => {
    expect(noticeFor(after(...events))).toEqual(expected)
  })
})
