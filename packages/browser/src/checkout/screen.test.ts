import { describe, expect, test } from 'vitest'
import {
  after,
  arrivedAsPart,
  back,
  canceled,
  chosen,
  declined,
  detected,
  dismissal,
  expired,
  failed,
  leaving,
  now,
  order,
  otherToken,
  part,
  partDetected,
  partHash,
  paying,
  problem,
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
  storedSent,
  succeeded,
  transactionDropped,
  unsure,
  wallet,
  walletResponse,
  walletsDiscovered,
} from '../../test/support/checkoutEvents.ts'
import { intent, txHash } from '../../test/support/testIntents.ts'
import type { Wallet } from '../wallet/provider/discoverWallets.ts'
import { closeResponse, screen } from './screen.ts'
import { type CheckoutEvent, type CheckoutState, initialState } from './state.ts'

const silent = Array.from({ length: 5 }, () => ({ type: 'poll_failed', cause: 'faulty' }) as const)

describe('the screen', () => {
  test.each<[string, CheckoutEvent[], object]>([
    ['before the first answer', [], { name: 'loading' }],
    [
      'while the service does not answer',
      [{ type: 'poll_failed', cause: 'offline' }],
      { name: 'loading' },
    ],
    [
      'while the service does not answer after the payer has sent it',
      [...paying, ...silent],
      { name: 'sent', how: 'sent' },
    ],
    [
      'while the service does not answer before it is confirmed',
      [...paying, detected, ...silent],
      { name: 'confirming' },
    ],
    [
      'once the service answers again',
      [...paying, ...silent, detected, ...silent, succeeded],
      { name: 'paid' },
    ],
    ['for an unknown secret', [{ type: 'not_found' }], { name: 'not_found' }],
    ['for another token', [resolved(), otherToken], { name: 'unknown_token' }],
    [
      'with wallets',
      [walletsDiscovered, resolved()],
      { name: 'pay', paymentMethod: 'wallets', availableMethods: ['wallets', 'qr'] },
    ],
    ['without wallets', [resolved()], { name: 'pay', paymentMethod: 'qr' }],
    [
      'of a manual intent',
      [walletsDiscovered, resolved({ lane: 'manual' })],
      { name: 'pay', paymentMethod: 'qr' },
    ],
    [
      'of an intent that only a reference can bind',
      [resolved({ manual: null, lane: 'manual' })],
      { name: 'pay', paymentMethod: 'wallets', availableMethods: ['wallets'] },
    ],
    [
      'of an underpaid intent, whose rest only a reference can bind',
      [resolved(part)],
      { name: 'pay', paymentMethod: 'wallets', availableMethods: ['wallets'] },
    ],
    [
      'with the payment method that the payer chose',
      [walletsDiscovered, resolved(), { type: 'payment_method_chosen', paymentMethod: 'qr' }],
      { paymentMethod: 'qr' },
    ],
    ['once a wallet is chosen', [resolved(), chosen], { name: 'wallet', step: 'connecting' }],
    [
      'as the wallet goes on',
      [resolved(), chosen, { type: 'attempt_moved', id: 1, step: 'checking' }],
      { name: 'wallet', step: 'checking', order: null },
    ],
    ['as the wallet is asked', requesting, { name: 'wallet', step: 'confirming', order }],
    ['on going back while the wallet asks', [...requesting, back], { name: 'requested', wallet }],
    [
      'of what another tab has asked for',
      [resolved({}, [storedRequest])],
      { name: 'requested', wallet: null },
    ],
    [
      'as another tab asks while this one connects',
      [resolved(), chosen, storedElsewhere],
      { name: 'requested' },
    ],
    [
      'as the wallet of another tab refuses',
      [walletsDiscovered, resolved({}, [storedRequest]), { type: 'requests_changed', stored: [] }],
      { name: 'pay', open: 'none' },
    ],
    [
      'after a failure on the way to the wallet',
      [resolved(), chosen, failed],
      problem('user_rejected', false),
    ],
    ['after a refusal', [...requesting, declined], problem('user_rejected', false)],
    [
      'after a refusal that came when the payer had gone back',
      [walletsDiscovered, ...requesting, back, declined],
      { name: 'pay', open: 'none' },
    ],
    [
      'after an inconclusive answer',
      [...requesting, unsure],
      { name: 'problem', problem: { code: 'internal_error', unsure: true }, mayPay: true },
    ],
    ['on going back from that', [...requesting, unsure, back], { name: 'requested' }],
    ['after going back', [walletsDiscovered, resolved(), chosen, failed, back], { name: 'pay' }],
    ['on trying again', [resolved(), chosen, failed, chosen], { name: 'wallet' }],
    ['once sent', paying, { name: 'sent', how: 'sent', txHash }],
    ['sent after going back', [...requesting, back, sent], { name: 'sent', how: 'sent' }],
    [
      'of what was sent before',
      [resolved({}, [storedSent])],
      { name: 'sent', how: 'resumed', txHash },
    ],
    [
      'of a batch whose transaction became known',
      [
        ...requesting,
        walletResponse({ outcome: 'sent', txHash: null, batchId: '0x01' }),
        { type: 'hash_learned', requestId: `${now}-1`, txHash },
      ],
      { name: 'sent', txHash },
    ],
    [
      'of a transaction that no node shows',
      [...paying, transactionDropped],
      problem('tx_dropped', true),
    ],
    ['of a replaced transaction', [...paying, replaced], problem('tx_replaced', true)],
    ['of a transaction that reverted', [...paying, reverted], problem('tx_reverted', false)],
    [
      'of a transaction that no node showed, seen after all',
      [...paying, transactionDropped, detected],
      { name: 'confirming', isRequesting: false },
    ],
    [
      'seen while a wallet still asks',
      [...requesting, back, detected],
      { name: 'confirming', isRequesting: true },
    ],
    [
      'once the payer insists that nothing was sent',
      [walletsDiscovered, ...requesting, back, dismissal],
      { name: 'pay', open: 'payment' },
    ],
    [
      'sent after the payer insisted that nothing was sent',
      [...requesting, back, dismissal, sent],
      { name: 'sent' },
    ],
    [
      'sent after a second request, which the wallet still shows',
      [...requesting, back, dismissal, ...requestedAs(2), sent],
      { name: 'sent', how: 'sent', txHash, isRequesting: true },
    ],
    [
      'after the refusal of a second request, with the first still open',
      [
        ...requesting,
        back,
        dismissal,
        ...requestedAs(2),
        walletResponse({ outcome: 'refused', problem: { code: 'user_rejected' } }, 2),
      ],
      { name: 'problem', mayPay: true },
    ],
    ['after a reorg, with a payment sent elsewhere', [reorged], { name: 'sent', how: 'reorged' }],
    [
      'after a reorg, with a payment sent here',
      [...paying, reorged],
      { name: 'sent', how: 'reorged', txHash },
    ],
    ['on paying again after a reorg', [walletsDiscovered, reorged, dismissal], { name: 'pay' }],
    ['on insisting on what was sent', [walletsDiscovered, ...paying, dismissal], { name: 'pay' }],
    ['while paying again after a reorg', [reorged, dismissal, chosen], { name: 'wallet' }],
    ['leaving after a reorg', [reorged, leaving], { name: 'leaving', sent: true }],
    [
      'after another reorg',
      [
        reorged,
        dismissal,
        resolved({ status: 'pending_confirmations', version: 4 }),
        resolved({ exceptions: ['reorged'], version: 5 }),
      ],
      { name: 'sent', how: 'reorged' },
    ],
    [
      'of a part whose rest is missing after a reorg',
      [
        walletsDiscovered,
        resolved({ exceptions: ['underpaid', 'reorged'], amount_received_units: 1 }),
      ],
      { name: 'pay' },
    ],
    [
      'once seen',
      [resolved(), resolved({ status: 'pending_confirmations', tx_hash: txHash, version: 2 })],
      { name: 'confirming', txHash },
    ],
    ['once paid', [resolved(), succeeded], { name: 'paid', openedPaid: false, txHash }],
    [
      'of what was paid before',
      [resolved({ status: 'succeeded' })],
      { name: 'paid', openedPaid: true },
    ],
    ['once expired', [resolved(), expired], { name: 'expired', moved: 'unknown', txHash: null }],
    ['expired while the payment was under way', [...paying, expired], { name: 'expired', txHash }],
    [
      'expired while the wallet asks',
      [...requesting, expired],
      { name: 'expired', moved: 'requested' },
    ],
    [
      'canceled while the wallet of another tab asks',
      [resolved({ status: 'canceled' }, [storedRequest])],
      { name: 'canceled', moved: 'requested' },
    ],
    [
      'approved after it was canceled',
      [...requesting, canceled, sent],
      { name: 'canceled', moved: 'sent', txHash },
    ],
    [
      'declined after it was canceled',
      [...requesting, canceled, declined],
      { name: 'canceled', moved: 'unknown' },
    ],
    ['once canceled', [resolved({ status: 'canceled' })], { name: 'canceled', moved: 'unknown' }],
    [
      'expired while what was sent has no hash',
      [...requesting, walletResponse({ outcome: 'sent', txHash: null, batchId: null }), expired],
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
        ...requested,
        { type: 'payer_announced', id: 1, credited: true },
        sent,
      ],
      { name: 'sent', txHash },
    ],
    [
      'when a part arrives while a wallet connects to pay the whole',
      [walletsDiscovered, resolved(), chosen, partDetected],
      { name: 'pay' },
    ],
    [
      'when a part arrives while a wallet is asked for the whole',
      [walletsDiscovered, ...requesting, partDetected],
      { name: 'requested' },
    ],
    [
      'when what was sent has arrived as a part',
      [walletsDiscovered, ...paying, arrivedAsPart],
      { name: 'pay', open: 'none' },
    ],
    [
      'of a status added later',
      [walletsDiscovered, resolved({ status: 'on_hold' })],
      { name: 'loading' },
    ],
    [
      'leaving while confirming',
      [resolved({ status: 'pending_confirmations', tx_hash: txHash }), leaving],
      { name: 'leaving', sent: true },
    ],
    ['leaving while the wallet asks', [...requesting, leaving], { name: 'leaving', sent: false }],
    ['staying after all', [...requesting, leaving, { type: 'stayed' }], { name: 'wallet' }],
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
  [
    'the first is opened',
    { methodOrder: ['qr', 'wallets'] },
    { paymentMethod: 'qr', availableMethods: ['qr', 'wallets'] },
  ],
  [
    'before the lane',
    { methodOrder: ['wallets', 'qr'], lane: 'manual' },
    { paymentMethod: 'wallets' },
  ],
  [
    'a hidden one is not offered',
    { methodOrder: ['wallets'] },
    { paymentMethod: 'wallets', availableMethods: ['wallets'] },
  ],
  [
    'but where no wallet is there',
    { methodOrder: ['wallets'], discovered: [] },
    { paymentMethod: 'qr', availableMethods: ['wallets', 'qr'] },
  ],
  [
    'not on a phone with links',
    { methodOrder: ['wallets'], discovered: [], onPhone: true },
    { availableMethods: ['wallets'] },
  ],
  [
    'wallets alone pay without a tag',
    { methodOrder: ['qr'], manual: null },
    { paymentMethod: 'wallets', availableMethods: ['wallets'] },
  ],
] as const)('payment methods that the page orders: %s', (_, ordered, expected) => {
  const {
    methodOrder,
    discovered = [wallet],
    onPhone = false,
    ...changes
  } = ordered as {
    methodOrder: CheckoutState['methodOrder']
    discovered?: Wallet[]
    onPhone?: boolean
  }
  const state = {
    ...initialState,
    methodOrder,
    onPhone,
    wallets: discovered,
    intent: intent(changes),
  }
  expect(screen(state)).toMatchObject(expected)
})

test('the rest of an underpaid intent is shown as a QR code wherever it can be paid by hand', () => {
  const manual = { payable_amount_units: 5_000_100, payment_uri: 'ethereum:…' }
  const rest = { exceptions: ['underpaid' as const], amount_received_units: 20_000_000, manual }
  expect(screen(after(walletsDiscovered, resolved(rest)))).toMatchObject({
    availableMethods: ['wallets', 'qr'],
  })
})

describe('closing', () => {
  const pending = resolved({ status: 'pending_confirmations', tx_hash: txHash })
  test.each<[string, CheckoutEvent[], string, string]>([
    ['loading', [], 'close', 'close'],
    ['ready to pay', [resolved()], 'close', 'close'],
    ['the wallet is asked', requesting, 'warn', 'ignore'],
    ['a wallet was asked', [resolved({}, [storedRequest])], 'warn', 'warn'],
    ['a payment was sent', paying, 'warn', 'warn'],
    ['confirming', [pending], 'warn', 'warn'],
    ['waiting after a reorg', [reorged], 'warn', 'warn'],
    ['warned', [pending, leaving], 'close', 'close'],
    ['warned that the wallet still asks', [...requesting, leaving], 'close', 'ignore'],
    ['paid', [resolved({ status: 'succeeded' })], 'close', 'close'],
    ['a problem', [resolved(), chosen, failed], 'close', 'close'],
  ])('while %s', (_, events, byButton, byGesture) => {
    expect(closeResponse(after(...events), 'button')).toBe(byButton)
    expect(closeResponse(after(...events), 'gesture')).toBe(byGesture)
  })
})
