import { randomBytes } from 'node:crypto'
import { chainFacts, type Event, type EventType } from '@payment-intents/contract'
import { changeField, type FieldChange } from './changeField.ts'

const price = 25_000_000
const payable = price + 137

type State = {
  readonly status: string
  readonly received?: number
  readonly exceptions?: readonly string[]
  /** The event's sequence; the creation's is the first. */
  readonly sequence: number
  /** A reorg removed the payment. */
  readonly isOrphaned?: boolean
}

/** The intent when the event was written, by the second half of the type. */
const states: Record<string, State> = {
  created: { status: 'requires_payment', sequence: 1 },
  pending_confirmations: { status: 'pending_confirmations', received: price, sequence: 2 },
  succeeded: { status: 'succeeded', received: price, sequence: 3 },
  expired: { status: 'expired', sequence: 2 },
  canceled: { status: 'canceled', sequence: 2 },
  underpaid: {
    ...{ status: 'requires_payment', received: price / 2, sequence: 2 },
    exceptions: ['underpaid'],
  },
  overpaid: {
    ...{ status: 'pending_confirmations', received: price + 1_000_000, sequence: 3 },
    exceptions: ['overpaid'],
  },
  paid_late: { status: 'expired', received: price, sequence: 3, exceptions: ['late'] },
  reorged: { status: 'requires_payment', sequence: 3, exceptions: ['reorged'], isOrphaned: true },
  reversed: { status: 'requires_payment', sequence: 4, exceptions: ['reorged'], isOrphaned: true },
  transfer_moved: { status: 'succeeded', received: price, sequence: 5 },
}

/** The refund when the event was written, by the second half of the type. */
const refundStates: Record<string, { readonly status: string; readonly sequence: number }> = {
  created: { status: 'requires_signature', sequence: 1 },
  updated: { status: 'requires_signature', sequence: 2 },
  pending: { status: 'pending', sequence: 2 },
  succeeded: { status: 'succeeded', sequence: 3 },
  canceled: { status: 'canceled', sequence: 2 },
  reversed: { status: 'pending', sequence: 4 },
}

/**
 * A test-mode event as the service sends it, about a payment that does not exist.
 *
 * @param changes of `data.object`
 * @throws UsageError for a change that does not fit
 */
export function fixture(type: EventType, changes: readonly FieldChange[] = []): Event {
  const [subject = '', step = ''] = type.split('.')
  const { sequence = 1 } = (subject === 'refund' ? refundStates : states)[step] ?? {}
  const object = objectOf(subject, step)
  for (const change of changes) changeField(object, change)
  const created_at = new Date().toISOString()
  const event = {
    id: randomId('evt'),
    type,
    created_at,
    mode: 'testnet',
    sequence,
    data: { object },
  }
  return event as unknown as Event
}

function objectOf(subject: string, step: string): Record<string, unknown> {
  if (subject === 'transfer') return transfer()
  if (subject === 'alert') return alert()
  if (subject === 'refund') return refund(refundStates[step]?.status ?? 'pending')
  return subject === 'webhook_endpoint' ? endpoint() : intent(states[step])
}

const { chainId, usdc } = chainFacts('testnet', 'base')
const ofChain = { chain: 'base', chain_id: chainId, token_address: usdc }
const hash = () => `0x${randomBytes(32).toString('hex')}`
const address = (digit: string) => `0x${digit.repeat(40)}`
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

/** Looks like an id of the service, but its time prefix is a time that the service will never see. */
function randomId(prefix: string): string {
  return `${prefix}_zzz${randomBytes(14).toString('hex').slice(0, 27)}`
}

function intent(state: State = { status: 'requires_payment', sequence: 1 }) {
  const { status, received = 0, exceptions = [], sequence, isOrphaned } = state
  const isMined = received > 0 || isOrphaned
  return {
    ...{ id: randomId('pi'), status, mode: 'testnet', ...ofChain },
    ...{ confirmations_required: 5, amount_units: price, decimals: 6, token_symbol: 'USDC' },
    ...{ expected_wallet: address('1'), expires_at: ago(status === 'expired' ? 1 : -29) },
    ...{ lane: 'sdk', metadata: {}, payment_reference: hash(), created_at: ago(31) },
    payment_link: null,
    ...{ payable_amount_units: payable, version: sequence, amount_received_units: received },
    ...{ amount_refunded_units: 0, amount_refunding_units: 0, opened_at: null },
    // A reorg has removed the payment of a succeeded intent.
    succeeded_at: status === 'succeeded' && !exceptions.includes('reorged') ? ago(0) : null,
    ...{ confirmations: status === 'succeeded' ? 5 : received > 0 ? 1 : 0 },
    ...{ tx_hash: isMined && !isOrphaned ? hash() : null, exceptions },
  }
}

function transfer() {
  return {
    ...{ id: randomId('tr'), ...ofChain, tx_hash: hash(), log_index: 0, block_number: 1_000 },
    ...{ block_timestamp: ago(1), from: address('2'), to: address('1') },
    ...{ amount_units: payable + 1, payment_intent: null, bound_by: null },
    ...{ reason: 'no_intent', suggestions: [], orphaned: false, created_at: ago(1) },
  }
}

function refund(status: string) {
  const isPaid = status === 'succeeded'
  const isSigned = isPaid || status === 'pending'
  return {
    ...{ id: randomId('re'), payment_intent: randomId('pi'), transfer: null, status },
    ...{ mode: 'testnet', ...ofChain, confirmations_required: 5, amount_units: price, decimals: 6 },
    ...{ token_symbol: 'USDC', destination: address('2'), destination_proof: 'merchant' },
    ...{ refund_reference: hash(), reason: 'requested_by_customer', metadata: {} },
    ...{ from: isSigned ? address('1') : null, from_verified: isSigned ? true : null },
    ...{ tx_hash: isPaid ? hash() : null, confirmations: isPaid ? 5 : 0, created_at: ago(1) },
    succeeded_at: isPaid ? ago(0) : null,
  }
}

function alert() {
  const objects = [randomId('tr'), randomId('tr')]
  const example = { count: objects.length, since: ago(5), objects }
  return { id: randomId('alert'), cause: 'transfer_unmatched', ...example, mode: 'testnet' }
}

function endpoint() {
  return {
    ...{ id: randomId('we'), url: 'https://shop.example.com/webhooks', description: '' },
    ...{ enabled_events: null, mode: 'testnet', status: 'disabled', disabled_reason: 'failing' },
    ...{ failing_since: ago(5 * 24 * 60), created_at: ago(30 * 24 * 60) },
  }
}
