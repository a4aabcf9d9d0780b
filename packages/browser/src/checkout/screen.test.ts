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
    ['the loading screen before the service responds', [], { name: 'loading' }],
    [
      'the loading screen while the service does not respond',
      [{ type: 'poll_failed', cause: 'offline' }],
      { name: 'loading' },
    ],
    [
      'a sent payment while the service does not respond',
      [...paying, ...silent],
      { name: 'sent', source: 'sent' },
    ],
    [
      'the confirmations while the service does not respond',
      [...paying, detected, ...silent],
      { name: 'confirming' },
    ],
    [
      'the paid screen once the service responds again',
      [...paying, ...silent, detected, ...silent, succeeded],
      { name: 'paid' },
    ],
    ['that an unknown secret has no payment', [{ type: 'not_found' }], { name: 'not_found' }],
    ['that another token is not supported', [resolved(), otherToken], { name: 'unknown_token' }],
    [
      'the wallets of the browser',
      [walletsDiscovered, resolved()],
      { name: 'pay', paymentMethod: 'wallets', availableMethods: ['wallets', 'qr'] },
    ],
    [
      'the QR code in a browser without wallets',
      [resolved()],
      { name: 'pay', paymentMethod: 'qr' },
    ],
    [
      'the QR code of a manual intent',
      [walletsDiscovered, resolved({ lane: 'manual' })],
      { name: 'pay', paymentMethod: 'qr' },
    ],
    [
      'only wallets for an intent that only a reference can bind',
      [resolved({ manual: null, lane: 'manual' })],
      { name: 'pay', paymentMethod: 'wallets', availableMethods: ['wallets'] },
    ],
    [
      'only wallets for an underpaid intent whose rest only a reference can bind',
      [resolved(part)],
      { name: 'pay', paymentMethod: 'wallets', availableMethods: ['wallets'] },
    ],
    [
      'the payment method that the payer chose',
      [walletsDiscovered, resolved(), { type: 'payment_method_chosen', paymentMethod: 'qr' }],
      { paymentMethod: 'qr' },
    ],
    [
      'the chosen wallet as it connects',
      [resolved(), chosen],
      { name: 'wallet', step: 'connecting' },
    ],
    [
      'the step of the wallet',
      [resolved(), chosen, { type: 'attempt_moved', id: 1, step: 'checking' }],
      { name: 'wallet', step: 'checking', order: null },
    ],
    [
      'the order while the wallet prompts',
      requesting,
      { name: 'wallet', step: 'confirming', order },
    ],
    [
      'the open request when the payer goes back while the wallet prompts',
      [...requesting, back],
      { name: 'requested', wallet },
    ],
    [
      'the open request of another tab',
      [resolved({}, [storedRequest])],
      { name: 'requested', wallet: null },
    ],
    [
      'the request that another tab sends while this tab connects',
      [resolved(), chosen, storedElsewhere],
      { name: 'requested' },
    ],
    [
      'the ways to pay once the wallet of another tab refuses',
      [walletsDiscovered, resolved({}, [storedRequest]), { type: 'requests_changed', stored: [] }],
      { name: 'pay', openRequest: 'none' },
    ],
    [
      'a problem if an attempt fails before the payment request',
      [resolved(), chosen, failed],
      problem('user_rejected', false),
    ],
    ['a problem after a refusal', [...requesting, declined], problem('user_rejected', false)],
    [
      'the ways to pay if the refusal comes after the payer went back',
      [walletsDiscovered, ...requesting, back, declined],
      { name: 'pay', openRequest: 'none' },
    ],
    [
      'a problem that may have paid after an inconclusive response',
      [...requesting, unsure],
      { name: 'problem', problem: { code: 'internal_error', unsure: true }, mayStillPay: true },
    ],
    [
      'the open request when the payer goes back from an inconclusive response',
      [...requesting, unsure, back],
      { name: 'requested' },
    ],
    [
      'the ways to pay when the payer goes back from a problem',
      [walletsDiscovered, resolved(), chosen, failed, back],
      { name: 'pay' },
    ],
    ['the wallet on a retry', [resolved(), chosen, failed, chosen], { name: 'wallet' }],
    ['a sent payment with its hash', paying, { name: 'sent', source: 'sent', txHash }],
    [
      'a payment sent after the payer went back',
      [...requesting, back, sent],
      { name: 'sent', source: 'sent' },
    ],
    [
      'a payment that was sent before a reload',
      [resolved({}, [storedSent])],
      { name: 'sent', source: 'resumed', txHash },
    ],
    [
      'the hash of a batch once its transaction is known',
      [
        ...requesting,
        walletResponse({ outcome: 'sent', txHash: null, batchId: '0x01' }),
        { type: 'hash_learned', requestId: `${now}-1`, txHash },
      ],
      { name: 'sent', txHash },
    ],
    [
      'a problem that may have paid for a transaction that no node shows',
      [...paying, transactionDropped],
      problem('tx_dropped', true),
    ],
    [
      'a problem that may have paid for a replaced transaction',
      [...paying, replaced],
      problem('tx_replaced', true),
    ],
    [
      'a problem that has not paid for a reverted transaction',
      [...paying, reverted],
      problem('tx_reverted', false),
    ],
    [
      'the confirmations once the service sees a transaction that no node showed',
      [...paying, transactionDropped, detected],
      { name: 'confirming', isRequesting: false },
    ],
    [
      'the confirmations, and that a wallet still prompts',
      [...requesting, back, detected],
      { name: 'confirming', isRequesting: true },
    ],
    [
      'the ways to pay once the payer insists that nothing was sent',
      [walletsDiscovered, ...requesting, back, dismissal],
      { name: 'pay', openRequest: 'payment' },
    ],
    [
      'a payment sent after the payer insisted that nothing was sent',
      [...requesting, back, dismissal, sent],
      { name: 'sent' },
    ],
    [
      'a payment sent after a second request, which the wallet still shows',
      [...requesting, back, dismissal, ...requestedAs(2), sent],
      { name: 'sent', source: 'sent', txHash, isRequesting: true },
    ],
    [
      'a problem that may have paid after a second request is refused while the first is open',
      [
        ...requesting,
        back,
        dismissal,
        ...requestedAs(2),
        walletResponse({ outcome: 'refused', problem: { code: 'user_rejected' } }, 2),
      ],
      { name: 'problem', mayStillPay: true },
    ],
    [
      'a reorganised payment that was sent elsewhere',
      [reorged],
      { name: 'sent', source: 'reorged' },
    ],
    [
      'a reorganised payment that was sent here, with its hash',
      [...paying, reorged],
      { name: 'sent', source: 'reorged', txHash },
    ],
    [
      'the ways to pay once the payer insists after a reorg',
      [walletsDiscovered, reorged, dismissal],
      { name: 'pay' },
    ],
    [
      'the ways to pay once the payer insists that a sent payment was not sent',
      [walletsDiscovered, ...paying, dismissal],
      { name: 'pay' },
    ],
    ['the wallet that pays again after a reorg', [reorged, dismissal, chosen], { name: 'wallet' }],
    [
      'a warning when the payer closes after a reorg',
      [reorged, leaving],
      { name: 'leaving', sent: true },
    ],
    [
      'a payment that is reorganised again',
      [
        reorged,
        dismissal,
        resolved({ status: 'pending_confirmations', version: 4 }),
        resolved({ exceptions: ['reorged'], version: 5 }),
      ],
      { name: 'sent', source: 'reorged' },
    ],
    [
      'the ways to pay the missing rest of a part after a reorg',
      [
        walletsDiscovered,
        resolved({ exceptions: ['underpaid', 'reorged'], amount_received_units: 1 }),
      ],
      { name: 'pay' },
    ],
    [
      'the confirmations once the payment is seen',
      [resolved(), resolved({ status: 'pending_confirmations', tx_hash: txHash, version: 2 })],
      { name: 'confirming', txHash },
    ],
    [
      'the paid screen once the payment succeeds',
      [resolved(), succeeded],
      { name: 'paid', openedPaid: false, txHash },
    ],
    [
      'the paid screen of an intent that was paid before',
      [resolved({ status: 'succeeded' })],
      { name: 'paid', openedPaid: true },
    ],
    [
      'the end of an expired intent',
      [resolved(), expired],
      { name: 'expired', lastPayment: 'unknown', txHash: null },
    ],
    [
      'the hash of a payment that is under way when the intent expires',
      [...paying, expired],
      { name: 'expired', txHash },
    ],
    [
      'the open request of a wallet that prompts when the intent expires',
      [...requesting, expired],
      { name: 'expired', lastPayment: 'requested' },
    ],
    [
      'the open request of another tab when the intent is canceled',
      [resolved({ status: 'canceled' }, [storedRequest])],
      { name: 'canceled', lastPayment: 'requested' },
    ],
    [
      'the hash of a payment that is approved after the intent was canceled',
      [...requesting, canceled, sent],
      { name: 'canceled', lastPayment: 'sent', txHash },
    ],
    [
      'no open request once it is declined after the intent was canceled',
      [...requesting, canceled, declined],
      { name: 'canceled', lastPayment: 'unknown' },
    ],
    [
      'the end of a canceled intent',
      [resolved({ status: 'canceled' })],
      { name: 'canceled', lastPayment: 'unknown' },
    ],
    [
      'a sent payment without a hash when the intent expires',
      [...requesting, walletResponse({ outcome: 'sent', txHash: null, batchId: null }), expired],
      { name: 'expired', lastPayment: 'sent' },
    ],
    [
      'the hash of a payment that is under way when the intent is canceled',
      [...paying, canceled],
      { name: 'canceled', lastPayment: 'sent', txHash },
    ],
    [
      'the money that came after the intent was canceled',
      [resolved({ status: 'canceled', exceptions: ['late'], amount_received_units: 1 })],
      { name: 'canceled', lastPayment: 'sent' },
    ],
    [
      'a reorganised payment in place of a success',
      [resolved({ status: 'succeeded', exceptions: ['reorged'], amount_received_units: 0 })],
      { name: 'sent', source: 'reorged' },
    ],
    [
      'the hash of the sent rest, not of the first part',
      [
        resolved({ ...part, tx_hash: partHash }),
        ...requested,
        { type: 'payer_announced', id: 1, credited: true },
        sent,
      ],
      { name: 'sent', txHash },
    ],
    [
      'the ways to pay if a part arrives while a wallet connects',
      [walletsDiscovered, resolved(), chosen, partDetected],
      { name: 'pay' },
    ],
    [
      'the open request if a part arrives while the wallet prompts for the whole',
      [walletsDiscovered, ...requesting, partDetected],
      { name: 'requested' },
    ],
    [
      'the ways to pay once the sent payment arrives as a part',
      [walletsDiscovered, ...paying, arrivedAsPart],
      { name: 'pay', openRequest: 'none' },
    ],
    [
      'the loading screen for a status that a later service adds',
      [walletsDiscovered, resolved({ status: 'on_hold' })],
      { name: 'loading' },
    ],
    [
      'a warning when the payer closes while the payment is confirmed',
      [resolved({ status: 'pending_confirmations', tx_hash: txHash }), leaving],
      { name: 'leaving', sent: true },
    ],
    [
      'a warning when the payer closes while the wallet prompts',
      [...requesting, leaving],
      { name: 'leaving', sent: false },
    ],
    [
      'the wallet if the payer stays after the warning',
      [...requesting, leaving, { type: 'stayed' }],
      { name: 'wallet' },
    ],
    [
      'the paid screen if the payment succeeds during the warning',
      [...paying, leaving, succeeded],
      { name: 'paid' },
    ],
    [
      'the wallet on a retry if the attempt failed during the warning',
      [resolved(), chosen, leaving, failed, chosen],
      { name: 'wallet' },
    ],
  ])('shows %s', (_, events, expected) => {
    expect(screen(after(...events))).toMatchObject(expected)
  })
})

test.each([
  [
    'the first method is selected',
    { methodOrder: ['qr', 'wallets'] },
    { paymentMethod: 'qr', availableMethods: ['qr', 'wallets'] },
  ],
  [
    'the order takes precedence over the lane',
    { methodOrder: ['wallets', 'qr'], lane: 'manual' },
    { paymentMethod: 'wallets' },
  ],
  [
    'a hidden method is not offered',
    { methodOrder: ['wallets'] },
    { paymentMethod: 'wallets', availableMethods: ['wallets'] },
  ],
  [
    'the hidden QR code is offered in a browser without wallets',
    { methodOrder: ['wallets'], discovered: [] },
    { paymentMethod: 'qr', availableMethods: ['wallets', 'qr'] },
  ],
  [
    'the hidden QR code is not offered on a phone with links to wallets',
    { methodOrder: ['wallets'], discovered: [], onPhone: true },
    { availableMethods: ['wallets'] },
  ],
  [
    'wallets are offered if only a reference can bind',
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
  test.each<[string, string, string, CheckoutEvent[]]>([
    ['loading', 'close', 'close', []],
    ['ready to pay', 'close', 'close', [resolved()]],
    ['the wallet prompts', 'warn', 'ignore', requesting],
    ['a stored request is open', 'warn', 'warn', [resolved({}, [storedRequest])]],
    ['a payment is sent', 'warn', 'warn', paying],
    ['confirming', 'warn', 'warn', [pending]],
    ['waiting after a reorg', 'warn', 'warn', [reorged]],
    ['warned', 'close', 'close', [pending, leaving]],
    ['warned that the wallet still prompts', 'close', 'ignore', [...requesting, leaving]],
    ['paid', 'close', 'close', [resolved({ status: 'succeeded' })]],
    ['a problem is shown', 'close', 'close', [resolved(), chosen, failed]],
  ])('while %s, the button means %s, a gesture %s', (_, byButton, byGesture, events) => {
    expect(closeResponse(after(...events), 'button')).toBe(byButton)
    expect(closeResponse(after(...events), 'gesture')).toBe(byGesture)
  })
})
