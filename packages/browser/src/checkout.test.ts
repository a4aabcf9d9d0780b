import { describe, expect, test } from 'vitest'
import { intent, txHash } from '../test/intent.ts'
import { type CheckoutEvent, type CheckoutState, initialState, reduce } from './checkout.ts'
import { noticeFor } from './notice.ts'
import type { Intent } from './parseIntent.ts'
import { onCloseAsked, screen } from './screen.ts'
import type { Wallet } from './wallet/discoverWallets.ts'

const wallet: Wallet = {
  id: 'w',
  name: 'Wallet',
  icon: null,
  provider: { request: async () => null },
}
const found: CheckoutEvent = { type: 'wallets_found', wallets: [wallet] }
const started: CheckoutEvent = { type: 'attempt_started', id: 1, wallet }
const sent: CheckoutEvent = {
  type: 'attempt_sent',
  id: 1,
  wallet,
  how: 'sent',
  txHash,
}
const part = { exceptions: ['underpaid' as const], amount_received_units: 1 }
const partHash = `0x${'11'.repeat(32)}` as const
const resumed: CheckoutEvent = { ...sent, id: 0, wallet: null, how: 'resumed' }
const lost: CheckoutEvent = { type: 'attempt_lost', id: 1, problem: { code: 'tx_dropped' } }
const insisted: CheckoutEvent = { type: 'insisted' }
const reorged = told({ exceptions: ['reorged'], version: 3 })
const failed: CheckoutEvent = { type: 'attempt_failed', id: 1, problem: { code: 'user_rejected' } }

function told(changes: Partial<Intent> = {}): CheckoutEvent {
  return { type: 'resolved', intent: intent(changes), receivedAt: Date.now() }
}

function after(...events: CheckoutEvent[]): CheckoutState {
  return events.reduce(reduce, initialState)
}

function freeze(state: CheckoutState): CheckoutState {
  return Object.freeze(state)
}

describe('the screen', () => {
  test.each<[string, CheckoutEvent[], object]>([
    ['before the first answer', [], { name: 'loading' }],
    ['while the service is silent', [{ type: 'unheard', cause: 'offline' }], { name: 'loading' }],
    ['for an unknown secret', [{ type: 'not_found' }], { name: 'not_found' }],
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
      [told({ exceptions: ['underpaid'], amount_received_units: 1 })],
      { name: 'pay', rail: 'wallets', rails: ['wallets'] },
    ],
    ['with the rail chosen', [found, told(), { type: 'rail_chosen', rail: 'qr' }], { rail: 'qr' }],
    ['once a wallet is chosen', [told(), started], { name: 'wallet', step: 'connecting' }],
    [
      'as the wallet goes on',
      [told(), started, { type: 'attempt_moved', id: 1, step: 'confirming' }],
      { name: 'wallet', step: 'confirming' },
    ],
    [
      'after a refusal',
      [told(), started, failed],
      { name: 'problem', problem: { code: 'user_rejected' } },
    ],
    [
      'after going back',
      [found, told(), started, failed, { type: 'attempt_left' }],
      { name: 'pay' },
    ],
    ['on trying again', [told(), started, failed, { ...started, id: 2 }], { name: 'wallet' }],
    ['once sent', [told(), started, sent], { name: 'sent', how: 'sent', txHash }],
    ['of what was sent before', [told(), resumed], { name: 'sent', how: 'resumed', txHash }],
    [
      'of a batch whose transaction became known',
      [told(), started, { ...sent, txHash: null }, { type: 'hash_learned', id: 1, txHash }],
      { name: 'sent', txHash },
    ],
    [
      'of a transaction that was lost',
      [told(), started, sent, lost],
      { name: 'problem', problem: { code: 'tx_dropped' } },
    ],
    [
      'of a lost one that is seen after all',
      [told(), started, sent, lost, told({ status: 'pending_confirmations', version: 2 })],
      { name: 'confirming' },
    ],
    ['after a reorg, for whoever paid elsewhere', [reorged], { name: 'sent', how: 'reorged' }],
    [
      'after a reorg, for whoever paid here',
      [told(), started, sent, reorged],
      { name: 'sent', how: 'reorged', txHash },
    ],
    ['on paying again after a reorg', [found, reorged, insisted], { name: 'pay' }],
    ['on paying again what was sent', [found, told(), started, sent, insisted], { name: 'pay' }],
    [
      'while paying again after a reorg',
      [reorged, insisted, { ...started, id: 2 }],
      { name: 'wallet' },
    ],
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
      { name: 'expired', moneySent: false, txHash: null },
    ],
    [
      'expired while the payment was under way',
      [told(), started, sent, told({ status: 'expired', version: 2 })],
      { name: 'expired', txHash },
    ],
    [
      'expired while the wallet asks',
      [told(), started, told({ status: 'expired', version: 2 })],
      { name: 'expired' },
    ],
    ['once canceled', [told({ status: 'canceled' })], { name: 'canceled', moneySent: false }],
    [
      'expired while what was sent has no hash',
      [told(), started, { ...sent, txHash: null }, told({ status: 'expired', version: 2 })],
      { name: 'expired', moneySent: true },
    ],
    [
      'canceled while the payment was under way',
      [told(), started, sent, told({ status: 'canceled', version: 2 })],
      { name: 'canceled', moneySent: true, txHash },
    ],
    [
      'canceled before the money came',
      [told({ status: 'canceled', exceptions: ['late'], amount_received_units: 1 })],
      { name: 'canceled', moneySent: true },
    ],
    [
      'of a success that the chain took back',
      [told({ status: 'succeeded', exceptions: ['reorged'], amount_received_units: 0 })],
      { name: 'sent', how: 'reorged' },
    ],
    [
      'with the rest of an underpaid intent sent',
      [told({ ...part, tx_hash: partHash }), started, sent],
      { name: 'sent', txHash },
    ],
    [
      'when a part arrives while a wallet is asked for the whole',
      [found, told(), started, told({ ...part, version: 2 })],
      { name: 'pay' },
    ],
    ['of a status added later', [found, told({ status: 'on_hold' })], { name: 'loading' }],
    [
      'leaving while confirming',
      [told({ status: 'pending_confirmations', tx_hash: txHash }), { type: 'leave_asked' }],
      { name: 'leaving', sent: true },
    ],
    [
      'leaving while the wallet asks',
      [told(), started, { type: 'leave_asked' }],
      { name: 'leaving', sent: false },
    ],
    [
      'staying after all',
      [told(), started, { type: 'leave_asked' }, { type: 'stayed' }],
      { name: 'wallet' },
    ],
    [
      'paid while leaving',
      [told(), started, sent, { type: 'leave_asked' }, told({ status: 'succeeded', version: 2 })],
      { name: 'paid' },
    ],
    [
      'refused while leaving, and tried again',
      [told(), started, { type: 'leave_asked' }, failed, { ...started, id: 2 }],
      { name: 'wallet' },
    ],
  ])('%s', (_, events, expected) => {
    expect(screen(after(...events))).toMatchObject(expected)
  })
})

describe('answers of the service', () => {
  test('an older version never replaces a newer one', () => {
    const state = after(told({ status: 'succeeded', version: 3 }), told({ version: 2 }))
    expect(state.intent?.status).toBe('succeeded')
  })

  test('any answer ends the silence', () => {
    const silent = after(told({ version: 3 }), { type: 'unheard', cause: 'unreachable' })
    expect(reduce(silent, told({ version: 2 })).trouble).toBeNull()
    expect(reduce(silent, told({ version: 4 })).trouble).toBeNull()
  })

  test('failed tries are counted in a row', () => {
    const unheard: CheckoutEvent = { type: 'unheard', cause: 'faulty' }
    expect(after(unheard, unheard).trouble).toEqual({ cause: 'faulty', tries: 2 })
    expect(after(unheard, told(), unheard).trouble?.tries).toBe(1)
  })

  test('the clock of the service is kept as a distance from ours', () => {
    const server_time = new Date(1_000_000).toISOString()
    const state = after({ type: 'resolved', intent: intent({ server_time }), receivedAt: 940_000 })
    expect(state.clockOffsetMs).toBe(60_000)
  })
})

describe('attempts', () => {
  test.each<CheckoutEvent>([
    { type: 'attempt_moved', id: 1, step: 'confirming' },
    { type: 'attempt_failed', id: 1, problem: { code: 'internal_error' } },
    { ...lost, id: 7 },
    { type: 'hash_learned', id: 7, txHash: '0x' },
  ])('news of one that is over changes nothing: $type', (late) => {
    const second = after(told(), started, { ...started, id: 2 })
    expect(screen(reduce(second, late))).toMatchObject({ name: 'wallet', step: 'connecting' })
    const gone = after(told(), found, started, { type: 'attempt_left' })
    expect(screen(reduce(gone, late)).name).toBe('pay')
    const done = after(told(), started, sent)
    expect(screen(reduce(done, late)).name).toBe('sent')
  })

  test('a payment that was sent counts even after going back from it', () => {
    expect(screen(after(told(), started, { type: 'attempt_left' }, sent)).name).toBe('sent')
  })

  test('choosing the QR leaves a failed attempt, never a sent one', () => {
    const toQr: CheckoutEvent = { type: 'rail_chosen', rail: 'qr' }
    expect(screen(after(told(), started, failed, toQr))).toMatchObject({ name: 'pay', rail: 'qr' })
    expect(screen(after(told(), started, sent, toQr)).name).toBe('sent')
  })
})

test('small things on the QR are remembered', () => {
  const state = after(
    { type: 'qr_chosen', content: 'address' },
    { type: 'copied', field: 'amount' },
  )
  expect(state).toMatchObject({ qrContent: 'address', copied: 'amount' })
})

test('reducing changes nothing of the state before', () => {
  const events = [found, told(), started, failed, sent, told({ version: 9 })]
  expect(() =>
    events.reduce((state, event) => freeze(reduce(freeze(state), event)), initialState),
  ).not.toThrow()
})

describe('asking to close', () => {
  const pending = told({ status: 'pending_confirmations', tx_hash: txHash })
  test.each<[string, CheckoutEvent[], string, string]>([
    ['loading', [], 'close', 'close'],
    ['ready to pay', [told()], 'close', 'close'],
    ['the wallet is asked', [told(), started], 'warn', 'ignore'],
    ['a payment was sent', [told(), started, sent], 'warn', 'warn'],
    ['confirming', [pending], 'warn', 'warn'],
    ['waiting after a reorg', [reorged], 'warn', 'warn'],
    ['warned', [pending, { type: 'leave_asked' }], 'close', 'close'],
    [
      'warned that the wallet still asks',
      [told(), started, { type: 'leave_asked' }],
      'close',
      'ignore',
    ],
    ['paid', [told({ status: 'succeeded' })], 'close', 'close'],
    ['a problem', [told(), started, failed], 'close', 'close'],
  ])('while %s', (_, events, byButton, byGesture) => {
    expect(onCloseAsked(after(...events), 'button')).toBe(byButton)
    expect(onCloseAsked(after(...events), 'gesture')).toBe(byGesture)
  })
})

describe('what the page is told', () => {
  const unheard = (cause: 'offline' | 'rate_limited' | 'faulty'): CheckoutEvent[] =>
    Array.from({ length: 3 }, () => ({ type: 'unheard', cause }))
  const payment = { payment_intent_id: 'pi_test_0001', tx_hash: txHash }

  test.each<[string, CheckoutEvent[], object | null]>([
    ['nothing while it loads', [], null],
    ['nothing on the way', [found, told(), started], null],
    ['nothing of a payment that only the wallet has seen', [told(), started, sent], null],
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
      [told(), started, { ...sent, how: 'duplicate' }],
      { name: 'error', code: 'duplicate_submission' },
    ],
    ['a loss', [told(), started, sent, lost], { name: 'error', code: 'tx_dropped' }],
    ['a refusal', [told(), started, failed], { name: 'error', code: 'user_rejected' }],
    ['expiry', [told({ status: 'expired' })], { name: 'error', code: 'intent_expired' }],
    ['cancellation', [told({ status: 'canceled' })], { name: 'error', code: 'intent_canceled' }],
    ['an unknown secret', [{ type: 'not_found' }], { name: 'error', code: 'intent_not_found' }],
    ['no way to pay', [told({ manual: null })], { name: 'error', code: 'wallet_not_found' }],
    ['nothing of a glitch', unheard('offline').slice(1), null],
    ['a lasting silence', unheard('offline'), { name: 'error', code: 'network_error' }],
    ['a busy service', unheard('rate_limited'), { name: 'error', code: 'rate_limited' }],
    ['a broken service', unheard('faulty'), { name: 'error', code: 'internal_error' }],
  ])('%s', (_, events, expected) => {
    expect(noticeFor(after(...events))).toEqual(expected)
  })
})
