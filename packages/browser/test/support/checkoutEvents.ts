import { reduce } from '../../src/checkout/checkout.ts'
import {
  type CheckoutEffect,
  type CheckoutEvent,
  type CheckoutState,
  initialState,
} from '../../src/checkout/state.ts'
import type { Step } from '../../src/checkout/step.ts'
import type { Intent } from '../../src/service/parseIntent.ts'
import type { WalletRequest } from '../../src/storage/walletRequests.ts'
import type { Order } from '../../src/wallet/encodeTransfer.ts'
import type { Prepared } from '../../src/wallet/prepareOrder.ts'
import type { Wallet } from '../../src/wallet/provider/discoverWallets.ts'
import type { WalletResponse } from '../../src/wallet/requestWallet.ts'
import { intent, txHash } from './testIntents.ts'

// Events of a checkout, and the states that they lead to.

export const wallet: Wallet = {
  id: 'w',
  source: 'browser',
  name: 'Wallet',
  icon: null,
  provider: { request: async () => null },
}
export const order: Order = {
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
export const now = Date.now()
export const walletsDiscovered: CheckoutEvent = { type: 'wallets_found', wallets: [wallet] }
export const chosen: CheckoutEvent = { type: 'wallet_chosen', wallet }
/** The payer chooses a wallet, and it receives a payment request. */
export const requested = requestedAs(1)
export const sent = walletResponse({ outcome: 'sent', txHash, batchId: null })
export const requesting = [resolved(), ...requested]
export const paying = [...requesting, sent]
export const detected = resolved({ status: 'pending_confirmations', version: 2 })
export const succeeded = resolved({ status: 'succeeded', tx_hash: txHash, version: 2 })
export const expired = resolved({ status: 'expired', version: 2 })
export const canceled = resolved({ status: 'canceled', version: 2 })
export const leaving: CheckoutEvent = { type: 'leave_requested' }
export const closed: CheckoutEvent = { type: 'closed' }
export const otherToken: CheckoutEvent = { type: 'unknown_token' }
export const storedRequest: WalletRequest = {
  id: 'of another tab',
  amount: 25_000_000n,
  requestedAt: now,
  result: 'none',
  txHash: null,
  batchId: null,
  authorization: null,
}
export const storedElsewhere: CheckoutEvent = { type: 'requests_changed', stored: [storedRequest] }
export const storedSent: WalletRequest = { ...storedRequest, result: 'sent', txHash }
export const part = { exceptions: ['underpaid' as const], amount_received_units: 1, manual: null }
export const partDetected = resolved({ ...part, version: 2 })
export const arrivedAsPart = resolved({ ...part, tx_hash: txHash, version: 2 })
export const partHash = `0x${'11'.repeat(32)}` as const
export const transactionDropped = watchEnded('tx_dropped')
export const replaced = watchEnded('tx_replaced')
export const reverted = watchEnded('tx_reverted')
export const dismissal: CheckoutEvent = { type: 'dismissed' }
export const reorged = resolved({ exceptions: ['reorged'], version: 3 })
export const failed = prepared({ outcome: 'failed', problem: { code: 'user_rejected' } })
export const declined = refused({ code: 'user_rejected' })
export const back: CheckoutEvent = { type: 'attempt_left' }
export const unsure = refused({ code: 'internal_error', unsure: true })

export function resolved(
  changes: Partial<Intent> = {},
  stored: readonly WalletRequest[] = [],
): CheckoutEvent {
  return { type: 'resolved', intent: intent(changes), stored }
}

export function requestedAs(id: number, changes: Partial<Order> = {}): CheckoutEvent[] {
  return [
    chosen,
    prepared({ outcome: 'ready', order: { ...order, ...changes } }, id),
    { type: 'lock_settled', id, acquired: true, stored: [] },
  ]
}

export function prepared(prepared: Prepared, id = 1): CheckoutEvent {
  return { type: 'attempt_prepared', id, prepared }
}

export function walletResponse(response: WalletResponse, attempt = 1): CheckoutEvent {
  return { type: 'request_settled', requestId: `${now}-${attempt}`, response }
}

export function refused(problem: Extract<WalletResponse, { outcome: 'refused' }>['problem']) {
  return walletResponse({ outcome: 'refused', problem })
}

export function problem(code: string, mayStillPay: boolean) {
  return { name: 'problem', problem: { code }, mayStillPay }
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

export function after(...events: CheckoutEvent[]): CheckoutState {
  return steps(...events).at(-1)?.state ?? initialState
}

/** The effects of the last event. */
export function effectsOf(...events: CheckoutEvent[]): readonly CheckoutEffect[] {
  return steps(...events).at(-1)?.effects ?? []
}

function freeze(state: CheckoutState): CheckoutState {
  return Object.freeze(state)
}
