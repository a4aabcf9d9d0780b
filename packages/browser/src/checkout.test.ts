import { describe, expect, test } from 'vitest'
import { intent, txHash } from '../test/intent.ts'
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
  type Step,
} from './state.ts'
import type { WalletAnswer } from './wallet/askWallet.ts'
import type { Wallet } from './wallet/discoverWallets.ts'
import type { Order } from './wallet/prepareOrder.ts'

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
  rail: 'transaction',
}
const now = Date.now()
const found: CheckoutEvent = { type: 'wallets_found', wallets: [wallet] }
const chosen: CheckoutEvent = { type: 'wallet_chosen', wallet }
/** The wallet that was chosen is asked to pay. */
const asked = askedAs(1)
const sent = answered({ outcome: 'sent', txHash, batchId: null })
const kept: WalletRequest = {
  id: 'of another tab',
  amount: 25_000_000n,
  askedAt: now,
  rail: 'transaction',
  answer: 'none',
  txHash: null,
  batchId: null,
}
const keptSent: WalletRequest = { ...kept, answer: 'sent', txHash }
const part = { exceptions: ['underpaid' as const], amount_received_units: 1, manual: null }
const partHash = `0x${'11'.repeat(32)}` as const
const notSeen = watchEnded('tx_dropped')
const insisted: CheckoutEvent = { type: 'insisted' }
const reorged = told({ exceptions: ['reorged'], version: 3 })
const failed: CheckoutEvent = { type: 'attempt_failed', id: 1, problem: { code: 'user_rejected' } }
const declined = refused({ code: 'user_rejected' })
const back: CheckoutEvent = { type: 'attempt_left' }
const unsure = refused({ code: 'internal_error', unsure: true })

function told(changes: Partial<Intent> = {}, known: readonly WalletRequest[] = []): CheckoutEvent {
  return { type: 'resolved', intent: intent(changes), kept: known }
}

function askedAs(id: number, changes: Partial<Order> = {}): CheckoutEvent[] {
  return [
    chosen,
    { type: 'attempt_ready', id, order: { ...order, ...changes } },
    { type: 'lock_answered', id, taken: true, kept: [] },
  ]
}

function answered(answer: WalletAnswer, attempt = 1): CheckoutEvent {
  return { type: 'request_answered', requestId: `${now}-${attempt}`, answer }
}

function refused(problem: Extract<WalletAnswer, { outcome: 'refused' }>['problem']) {
  return answered({ outcome: 'refused', problem })
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

/** What the last of the events leads to. */
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
      'while the service is silent',
      [{ type: 'poll_failed', cause: 'offline' }],
      { name: 'loading' },
    ],
    ['for an unknown secret', [{ type: 'not_found' }], { name: 'not_found' }],
    ['for another token', [told(), { type: 'unknown_token' }], { name: 'unknown_token' }],
    ['with wallets', [found, told()], { name: 'pay', rail: 'wallets', rails: ['wallets', 'qr'] }],
    ['without wallets', [told()], { name: 'pay', rail: 'qr' }],
    ['of a manual intent', [found, told({ lane: 'manual' })], { name: 'pay', rail: 'qr' }],
    [
      'of an intent that only a reference can bind',
      [told({ manual: null, lane: 'manual' })],
      { name: 'pay', rail: 'wallets', rails: ['wallets'] },
    ],
    [
      'of an underpaid intent, whose rest only a reference can bind',
      [told(part)],
      { name: 'pay', rail: 'wallets', rails: ['wallets'] },
    ],
    ['with the rail chosen', [found, told(), { type: 'rail_chosen', rail: 'qr' }], { rail: 'qr' }],
    ['once a wallet is chosen', [told(), chosen], { name: 'wallet', step: 'connecting' }],
    [
      'as the wallet goes on',
      [told(), chosen, { type: 'attempt_moved', id: 1, step: 'checking' }],
      { name: 'wallet', step: 'checking', amount: null },
    ],
    [
      'as the wallet is asked',
      [told(), ...asked],
      { name: 'wallet', step: 'confirming', amount: 25_000_000n },
    ],
    ['on going back while the wallet asks', [told(), ...asked, back], { name: 'asked', wallet }],
    ['of what another tab has asked for', [told({}, [kept])], { name: 'asked', wallet: null }],
    [
      'as another tab asks while this one connects',
      [told(), chosen, { type: 'kept_changed', kept: [kept] }],
      { name: 'asked' },
    ],
    [
      'as the wallet of another tab refuses',
      [found, told({}, [kept]), { type: 'kept_changed', kept: [] }],
      { name: 'pay', wasAsked: false },
    ],
    [
      'after a failure on the way to the wallet',
      [told(), chosen, failed],
      { name: 'problem', problem: { code: 'user_rejected' }, mayPay: false },
    ],
    [
      'after a refusal',
      [told(), ...asked, declined],
      { name: 'problem', problem: { code: 'user_rejected' }, mayPay: false },
    ],
    [
      'after a refusal that came when the payer had gone back',
      [found, told(), ...asked, back, declined],
      { name: 'pay', wasAsked: false },
    ],
    [
      'after an answer that proves nothing',
      [told(), ...asked, unsure],
      { name: 'problem', problem: { code: 'internal_error', unsure: true }, mayPay: true },
    ],
    ['on going back from that', [told(), ...asked, unsure, back], { name: 'asked' }],
    ['after going back', [found, told(), chosen, failed, back], { name: 'pay' }],
    ['on trying again', [told(), chosen, failed, chosen], { name: 'wallet' }],
    ['once sent', [told(), ...asked, sent], { name: 'sent', how: 'sent', txHash }],
    ['sent after going back', [told(), ...asked, back, sent], { name: 'sent', how: 'sent' }],
    ['of what was sent before', [told({}, [keptSent])], { name: 'sent', how: 'resumed', txHash }],
    [
      'of a batch whose transaction became known',
      [
        told(),
        ...asked,
        answered({ outcome: 'sent', txHash: null, batchId: '0x01' }),
        { type: 'hash_learned', requestId: `${now}-1`, txHash },
      ],
      { name: 'sent', txHash },
    ],
    [
      'of a transaction that no node shows',
      [told(), ...asked, sent, notSeen],
      { name: 'problem', problem: { code: 'tx_dropped' }, mayPay: true },
    ],
    [
      'of one whose place another took',
      [told(), ...asked, sent, watchEnded('tx_replaced')],
      { name: 'problem', problem: { code: 'tx_replaced' }, mayPay: true },
    ],
    [
      'of one that reverted',
      [told(), ...asked, sent, watchEnded('tx_reverted')],
      { name: 'problem', problem: { code: 'tx_reverted' }, mayPay: false },
    ],
    [
      'of one that no node showed, and that is seen after all',
      [told(), ...asked, sent, notSeen, told({ status: 'pending_confirmations', version: 2 })],
      { name: 'confirming', stillAsks: false },
    ],
    [
      'seen while a wallet still asks',
      [told(), ...asked, back, told({ status: 'pending_confirmations', version: 2 })],
      { name: 'confirming', stillAsks: true },
    ],
    [
      'once the payer is sure that nothing was sent',
      [found, told(), ...asked, back, insisted],
      { name: 'pay', wasAsked: true },
    ],
    [
      'sent after the payer was sure of the contrary',
      [told(), ...asked, back, insisted, sent],
      { name: 'sent' },
    ],
    [
      'after the refusal of a second request, with the first still open',
      [
        told(),
        ...asked,
        back,
        insisted,
        ...askedAs(2),
        answered({ outcome: 'refused', problem: { code: 'user_rejected' } }, 2),
      ],
      { name: 'problem', mayPay: true },
    ],
    ['after a reorg, for whoever paid elsewhere', [reorged], { name: 'sent', how: 'reorged' }],
    [
      'after a reorg, for whoever paid here',
      [told(), ...asked, sent, reorged],
      { name: 'sent', how: 'reorged', txHash },
    ],
    ['on paying again after a reorg', [found, reorged, insisted], { name: 'pay' }],
    ['on insisting on what was sent', [found, told(), ...asked, sent, insisted], { name: 'pay' }],
    ['while paying again after a reorg', [reorged, insisted, chosen], { name: 'wallet' }],
    ['leaving after a reorg', [reorged, { type: 'leave_asked' }], { name: 'leaving', sent: true }],
    [
      'after another reorg',
      [
        reorged,
        insisted,
        told({ status: 'pending_confirmations', version: 4 }),
        told({ exceptions: ['reorged'], version: 5 }),
      ],
      { name: 'sent', how: 'reorged' },
    ],
    [
      'of a part whose rest is missing after a reorg',
      [found, told({ exceptions: ['underpaid', 'reorged'], amount_received_units: 1 })],
      { name: 'pay' },
    ],
    [
      'once seen',
      [told(), told({ status: 'pending_confirmations', tx_hash: txHash, version: 2 })],
      { name: 'confirming', txHash },
    ],
    [
      'once paid',
      [told(), told({ status: 'succeeded', tx_hash: txHash, version: 2 })],
      { name: 'paid', again: false, txHash },
    ],
    ['of what was paid before', [told({ status: 'succeeded' })], { name: 'paid', again: true }],
    [
      'once expired',
      [told(), told({ status: 'expired', version: 2 })],
      { name: 'expired', moved: 'unknown', txHash: null },
    ],
    [
      'expired while the payment was under way',
      [told(), ...asked, sent, told({ status: 'expired', version: 2 })],
      { name: 'expired', txHash },
    ],
    [
      'expired while the wallet asks',
      [told(), ...asked, told({ status: 'expired', version: 2 })],
      { name: 'expired', moved: 'asked' },
    ],
    [
      'canceled while the wallet of another tab asks',
      [told({ status: 'canceled' }, [kept])],
      { name: 'canceled', moved: 'asked' },
    ],
    [
      'approved after it was canceled',
      [told(), ...asked, told({ status: 'canceled', version: 2 }), sent],
      { name: 'canceled', moved: 'sent', txHash },
    ],
    [
      'declined after it was canceled',
      [told(), ...asked, told({ status: 'canceled', version: 2 }), declined],
      { name: 'canceled', moved: 'unknown' },
    ],
    ['once canceled', [told({ status: 'canceled' })], { name: 'canceled', moved: 'unknown' }],
    [
      'expired while what was sent has no hash',
      [
        told(),
        ...asked,
        answered({ outcome: 'sent', txHash: null, batchId: null }),
        told({ status: 'expired', version: 2 }),
      ],
      { name: 'expired', moved: 'sent' },
    ],
    [
      'canceled while the payment was under way',
      [told(), ...asked, sent, told({ status: 'canceled', version: 2 })],
      { name: 'canceled', moved: 'sent', txHash },
    ],
    [
      'canceled before the money came',
      [told({ status: 'canceled', exceptions: ['late'], amount_received_units: 1 })],
      { name: 'canceled', moved: 'sent' },
    ],
    [
      'of a success that the chain took back',
      [told({ status: 'succeeded', exceptions: ['reorged'], amount_received_units: 0 })],
      { name: 'sent', how: 'reorged' },
    ],
    [
      'with the rest of an underpaid intent sent',
      [told({ ...part, tx_hash: partHash }), ...asked, { type: 'payer_announced', id: 1 }, sent],
      { name: 'sent', txHash },
    ],
    [
      'when a part arrives while a wallet connects to pay the whole',
      [found, told(), chosen, told({ ...part, version: 2 })],
      { name: 'pay' },
    ],
    [
      'when a part arrives while a wallet is asked for the whole',
      [found, told(), ...asked, told({ ...part, version: 2 })],
      { name: 'asked' },
    ],
    [
      'when what was sent has arrived as a part',
      [found, told(), ...asked, sent, told({ ...part, tx_hash: txHash, version: 2 })],
      { name: 'pay', wasAsked: false },
    ],
    ['of a status added later', [found, told({ status: 'on_hold' })], { name: 'loading' }],
    [
      'leaving while confirming',
      [told({ status: 'pending_confirmations', tx_hash: txHash }), { type: 'leave_asked' }],
      { name: 'leaving', sent: true },
    ],
    [
      'leaving while the wallet asks',
      [told(), ...asked, { type: 'leave_asked' }],
      { name: 'leaving', sent: false },
    ],
    [
      'staying after all',
      [told(), ...asked, { type: 'leave_asked' }, { type: 'stayed' }],
      { name: 'wallet' },
    ],
    [
      'paid while leaving',
      [told(), ...asked, sent, { type: 'leave_asked' }, told({ status: 'succeeded', version: 2 })],
      { name: 'paid' },
    ],
    [
      'refused while leaving, and tried again',
      [told(), chosen, { type: 'leave_asked' }, failed, chosen],
      { name: 'wallet' },
    ],
  ])('%s', (_, events, expected) => {
    expect(screen(after(...events))).toMatchObject(expected)
  })
})

test('the rest of an underpaid intent is shown as a QR code wherever it can be paid by hand', () => {
  const manual = { payable_amount_units: 5_000_100, payment_uri: 'ethereum:…' }
  const rest = { exceptions: ['underpaid' as const], amount_received_units: 20_000_000, manual }
  expect(screen(after(found, told(rest)))).toMatchObject({ rails: ['wallets', 'qr'] })
})

describe('answers of the service', () => {
  test('an older version never replaces a newer one', () => {
    const state = after(told({ status: 'succeeded', version: 3 }), told({ version: 2 }))
    expect(state.intent?.status).toBe('succeeded')
  })

  test('any answer ends the silence', () => {
    const silent: CheckoutEvent[] = [told({ version: 3 }), { type: 'poll_failed', cause: 'faulty' }]
    expect(after(...silent, told({ version: 2 })).trouble).toBeNull()
    expect(after(...silent, told({ version: 4 })).trouble).toBeNull()
  })

  test('failed tries are counted in a row', () => {
    const silent: CheckoutEvent = { type: 'poll_failed', cause: 'faulty' }
    expect(after(silent, silent).trouble).toEqual({ cause: 'faulty', tries: 2 })
    expect(after(silent, told(), silent).trouble?.tries).toBe(1)
  })

  test('the clock of the service is kept as a distance from ours', () => {
    const state = after(told({ server_time: new Date(now + 60_000).toISOString() }))
    expect(state.clockOffsetMs).toBe(60_000)
  })
})

describe('attempts', () => {
  test.each<CheckoutEvent>([
    { type: 'attempt_moved', id: 1, step: 'checking' },
    { type: 'attempt_failed', id: 1, problem: { code: 'internal_error' } },
    { type: 'attempt_ready', id: 1, order },
    { type: 'lock_answered', id: 1, taken: true, kept: [] },
    { type: 'payer_announced', id: 1 },
    { type: 'hash_learned', requestId: 'no', txHash: '0x' },
    { type: 'watch_ended', requestId: 'no', code: 'tx_dropped' },
  ])('news of one that is over changes nothing: $type', (late) => {
    const second = [told(), chosen, failed, chosen]
    expect(screen(after(...second, late))).toMatchObject({ name: 'wallet', step: 'connecting' })
    expect(screen(after(told(), found, chosen, back, late)).name).toBe('pay')
    expect(screen(after(told(), ...asked, sent, late)).name).toBe('sent')
    expect(effectsOf(...second, late)).toEqual([])
  })
})

describe('what is done', () => {
  const request = expect.objectContaining({ id: `${now}-1`, amount: 25_000_000n, answer: 'none' })
  const intentId = 'pi_test_0001'

  test('a request is kept before the wallet is asked', () => {
    expect(effectsOf(told(), ...asked)).toEqual([
      { type: 'keep', intentId, request },
      { type: 'ask', requestId: `${now}-1`, wallet, order },
    ])
  })

  test('the payer is announced first where only the reference binds', () => {
    const ready = [told({ manual: null }), ...asked]
    expect(effectsOf(...ready)).toEqual([{ type: 'announce_payer', id: 1, payer: order.payer }])
    const effects = effectsOf(...ready, { type: 'payer_announced', id: 1 })
    expect(effects.map(({ type }) => type)).toEqual(['keep', 'ask'])
  })

  test.each<[string, CheckoutEvent[]]>([
    ['while a wallet is asked', [told(), ...asked, back, chosen]],
    ['while the wallet of another tab is asked', [told({}, [kept]), chosen]],
    ['while what was sent is not seen', [told(), ...asked, sent, notSeen, chosen]],
    ['after an answer that proves nothing', [told(), ...asked, unsure, chosen]],
    ['after a reorg', [reorged, chosen]],
    ['once the time is up', [told({ expires_at: new Date(now - 1).toISOString() }), chosen]],
    ['once canceled', [told({ status: 'canceled' }), chosen]],
    [
      'when another tab turns out to have asked',
      [
        told(),
        chosen,
        { type: 'attempt_ready', id: 1, order },
        { type: 'lock_answered', id: 1, taken: true, kept: [kept] },
      ],
    ],
    [
      'when another tab has asked since the payer was sure',
      [
        told({}, [kept]),
        insisted,
        chosen,
        { type: 'attempt_ready', id: 1, order },
        { type: 'lock_answered', id: 1, taken: true, kept: [kept, { ...kept, id: 'newer' }] },
      ],
    ],
    [
      'for a batch that is unsupported after the payer has gone back',
      [told(), ...askedAs(1, { rail: 'batch' }), back, answered({ outcome: 'unsupported' })],
    ],
  ])('no wallet is asked %s', (_, events) => {
    const kinds = effectsOf(...events).map(({ type }) => type)
    expect(kinds).not.toContain('prepare')
    expect(kinds).not.toContain('ask')
  })

  test('a batch that is unsupported is asked for as a transaction, of the same amount', () => {
    const batch = askedAs(1, { rail: 'batch', amount: 25_000_100n })
    const effects = effectsOf(told(), ...batch, answered({ outcome: 'unsupported' }))
    expect(effects).toMatchObject([
      { type: 'keep', request: { id: `${now}-1`, rail: 'transaction' } },
      { type: 'ask', order: { rail: 'transaction', amount: 25_000_100n } },
    ])
  })

  const forgets = { type: 'forget', intentId, but: [] }
  test.each<[string, CheckoutEvent[]]>([
    ['a refusal', [told(), ...asked, declined]],
    [
      'a receipt of a transaction that reverted',
      [told(), ...asked, sent, watchEnded('tx_reverted')],
    ],
    ['the service', [told(), ...asked, sent, told({ status: 'succeeded', version: 2 })]],
    ['the service, of another tab', [told({ status: 'pending_confirmations' }, [kept])]],
    [
      'its hash in a part',
      [told(), ...asked, sent, told({ ...part, tx_hash: txHash, version: 2 })],
    ],
    ['a refusal after the checkout was closed', [told(), ...asked, { type: 'closed' }, declined]],
  ])('a request is forgotten by %s', (_, events) => {
    expect(effectsOf(...events)).toContainEqual(forgets)
  })

  test.each<[string, CheckoutEvent[]]>([
    ['an answer that proves nothing', [told(), ...asked, unsure]],
    ['going back', [told(), ...asked, back]],
    ['what cannot be seen', [told(), ...asked, sent, notSeen]],
    ['another in its place', [told(), ...asked, sent, watchEnded('tx_replaced')]],
    ['the certainty of the payer', [told(), ...asked, back, insisted]],
    ['the end of the intent', [told(), ...asked, told({ status: 'expired', version: 2 })]],
    ['closing', [told(), ...asked, { type: 'closed' }]],
  ])('nor by %s', (_, events) => {
    expect(effectsOf(...events).map(({ type }) => type)).not.toContain('forget')
    expect(after(...events).requests).toHaveLength(1)
  })

  test('what is sent after the checkout was closed is kept', () => {
    const effects = effectsOf(told(), ...asked, { type: 'closed' }, sent)
    expect(effects[0]).toMatchObject({ type: 'keep', request: { answer: 'sent', txHash } })
  })
})

test('small things on the QR are remembered', () => {
  const state = after(
    { type: 'qr_chosen', content: 'address' },
    { type: 'copied', field: 'amount' },
  )
  expect(state).toMatchObject({ qrContent: 'address', copied: 'amount' })
})

describe('asking to close', () => {
  const pending = told({ status: 'pending_confirmations', tx_hash: txHash })
  test.each<[string, CheckoutEvent[], string, string]>([
    ['loading', [], 'close', 'close'],
    ['ready to pay', [told()], 'close', 'close'],
    ['the wallet is asked', [told(), ...asked], 'warn', 'ignore'],
    ['a wallet was asked', [told({}, [kept])], 'warn', 'warn'],
    ['a payment was sent', [told(), ...asked, sent], 'warn', 'warn'],
    ['confirming', [pending], 'warn', 'warn'],
    ['waiting after a reorg', [reorged], 'warn', 'warn'],
    ['warned', [pending, { type: 'leave_asked' }], 'close', 'close'],
    [
      'warned that the wallet still asks',
      [told(), ...asked, { type: 'leave_asked' }],
      'close',
      'ignore',
    ],
    ['paid', [told({ status: 'succeeded' })], 'close', 'close'],
    ['a problem', [told(), chosen, failed], 'close', 'close'],
  ])('while %s', (_, events, byButton, byGesture) => {
    expect(onCloseAsked(after(...events), 'button')).toBe(byButton)
    expect(onCloseAsked(after(...events), 'gesture')).toBe(byGesture)
  })
})

describe('what the page is told', () => {
  const silent = (cause: 'offline' | 'rate_limited' | 'faulty'): CheckoutEvent[] =>
    Array.from({ length: 3 }, () => ({ type: 'poll_failed', cause }))
  const payment = { payment_intent_id: 'pi_test_0001', tx_hash: txHash }

  test.each<[string, CheckoutEvent[], object | null]>([
    ['nothing while it loads', [], null],
    ['nothing on the way', [found, told(), chosen], null],
    ['nothing of a request that another tab has made', [told({}, [kept])], null],
    ['nothing of a payment that only the wallet has seen', [told(), ...asked, sent], null],
    [
      'pending once seen on chain',
      [told({ status: 'pending_confirmations', tx_hash: txHash })],
      { name: 'pending', payment },
    ],
    ['success', [told({ status: 'succeeded', tx_hash: txHash })], { name: 'success', payment }],
    [
      'nothing of a success that the chain took back',
      [told({ status: 'succeeded', exceptions: ['reorged'], tx_hash: null })],
      null,
    ],
    [
      'that the wallet had sent it before',
      [told(), ...asked, answered({ outcome: 'duplicate', txHash: null, batchId: null })],
      { name: 'error', code: 'duplicate_submission' },
    ],
    [
      'what is not seen',
      [told(), ...asked, sent, notSeen],
      { name: 'error', code: 'tx_dropped', detail: 'tx_dropped' },
    ],
    [
      'a refusal',
      [told(), ...asked, declined],
      { name: 'error', code: 'user_rejected', detail: 'user_rejected' },
    ],
    ['expiry', [told({ status: 'expired' })], { name: 'error', code: 'intent_expired' }],
    ['cancellation', [told({ status: 'canceled' })], { name: 'error', code: 'intent_canceled' }],
    ['an unknown secret', [{ type: 'not_found' }], { name: 'error', code: 'intent_not_found' }],
    ['no way to pay', [told({ manual: null })], { name: 'error', code: 'wallet_not_found' }],
    ['nothing of a glitch', silent('offline').slice(1), null],
    ['a lasting silence', silent('offline'), { name: 'error', code: 'network_error' }],
    ['a busy service', silent('rate_limited'), { name: 'error', code: 'rate_limited' }],
    ['a broken service', silent('faulty'), { name: 'error', code: 'internal_error' }],
  ])('%s', (_, events, expected) => {
    expect(noticeFor(after(...events))).toEqual(expected)
  })
})
