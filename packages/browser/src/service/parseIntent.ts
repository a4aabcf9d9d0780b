import type { ResolvedPaymentIntent } from '@payment-intents/contract'
import { isHex } from '../lib/isHex.ts'

export type Intent = ResolvedPaymentIntent

/** Whether the service has seen the payment. A payment to an intent that has ended may also be under way. */
export function isDetected(intent: Intent | null): boolean {
  return intent?.status === 'pending_confirmations' || intent?.status === 'succeeded'
}

/** Whether a reorganisation has removed a payment. */
export function isReorged(intent: Intent | null): boolean {
  return intent?.exceptions.includes('reorged') ?? false
}

/** Whether an authorization is on its way to the chain, or mined and not yet seen: any other payment would be a second payment. */
export function isRelayed(intent: Intent | null): boolean {
  const status = intent?.authorization?.status
  return status === 'in_flight' || (status === 'used' && !isReorged(intent))
}

/**
 * Parses a response of resolve; `null` if invalid. Checked by hand, since a schema library is larger than the modal; checks only fields
 * that reach a wallet or a link.
 */
export function parseIntent(body: unknown): Intent | null {
  if (!isRecord(body)) return null
  const { network, manual } = body
  const isValid =
    [body.id, body.status, body.token_symbol, body.lane, body.merchant_name].every(isText) &&
    [body.expires_at, body.server_time].every((time) => Date.parse(String(time))) &&
    [body.token_address, body.expected_wallet].every((value) => isHex(value, 40)) &&
    isHex(body.payment_reference, 64) &&
    (body.tx_hash === null || isHex(body.tx_hash, 64)) &&
    [
      body.version,
      body.chain_id,
      body.decimals,
      body.amount_units,
      body.price_units,
      body.amount_received_units,
      body.confirmations,
      body.confirmations_required,
    ].every(isCount) &&
    isNearMisses(body.near_misses) &&
    (body.support === null || isText(body.support)) &&
    Array.isArray(body.exceptions) &&
    isAuthorization(body.authorization) &&
    (manual === null || (isRecord(manual) && isCount(manual.payable_amount_units))) &&
    isRecord(network) &&
    [network.name, network.native_symbol, network.rpc_url].every(isText) &&
    (network.explorer_url === null || isWebAddress(network.explorer_url))
  return isValid ? (body as object as Intent) : null
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isNearMisses(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((miss) => isRecord(miss) && isHex(miss.tx_hash, 64) && isCount(miss.amount_units))
  )
}

function isAuthorization(value: unknown): boolean {
  if (value === null) return true
  if (!isRecord(value) || !isText(value.status) || !isHex(value.from, 40)) return false
  return value.tx_hash === null || isHex(value.tx_hash, 64)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** A link from the network must not become `javascript:`. */
export function isWebAddress(value: unknown): value is string {
  return isText(value) && /^https?:\/\//.test(value)
}
