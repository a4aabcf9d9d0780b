import {
  type Address,
  type GaslessOffer,
  type Links,
  type Receipt,
  usdcDecimals,
} from '@payment-intents/contract'
import type { Hex } from 'viem'
import { checksummed } from '../lib/checksummed.ts'
import { isoOrNull } from '../lib/isoOrNull.ts'
import { canReserve } from './creation/reserveAmount.ts'
import type { Intent } from './intent.ts'
import { payingTransfers, received } from './payingTransfers.ts'
import { presentReceiptRefunds, type ReceiptRefund } from './receiptRefunds.ts'

/** The chain parameters for wallets. */
export type Network = {
  readonly name: string
  readonly nativeSymbol: string
  readonly rpcUrl: string
  readonly explorerUrl: string | null
}

/**
 * The response to a creation as JSON text without `links` and `client_secret`, so that the stored replay contains no secret. {@link
 * withLinks} and {@link withClientSecret} add them.
 */
export function presentCreated(intent: Intent): string {
  return json(intent, creationFields(intent))
}

/** {@link presentCreated} and {@link presentInEvent} of a new intent: their common start, and the end of each. */
export function presentNew(intent: Intent): { begin: string; response: string; event: string } {
  return {
    begin: begin(intent),
    response: end(intent, creationFields(intent)),
    event: end(intent, eventFields(intent)),
  }
}

function creationFields(intent: Intent) {
  return {
    expires_in_minutes: intent.expiresInMinutes,
    created_at: new Date(intent.createdAt).toISOString(),
    payable_amount_units: Number(intent.payable),
  }
}

/** Adds links to an intent's text. */
export function withLinks(intent: string, links: Links): string {
  return `${intent.slice(0, -1)},"links":${JSON.stringify(links)}}`
}

/** Adds the secret to {@link presentCreated}'s text. */
export function withClientSecret(created: string, clientSecret: string): string {
  return `${created.slice(0, -1)},"client_secret":${JSON.stringify(clientSecret)}}`
}

/** An unmatched transfer that may be an attempt to pay an intent. */
export type NearMiss = { readonly txHash: Hex; readonly amount: bigint }

/** An intent's authorization (EIP-3009): in flight, else used, else the newest. */
export type PresentableAuthorization = {
  readonly from: Address
  readonly status: 'in_flight' | 'used' | 'refused' | 'expired'
  readonly reason: string | null
  readonly txHash: Hex | null
  /** Unix seconds. */
  readonly validBefore: number
}

/**
 * The response of resolve as JSON text without what time changes, which {@link withMoment} adds.
 *
 * @param context.exclusiveAddress whether every transfer to the intent's wallet is bound to it
 * @param context.nearMisses newest first
 */
export function presentResolved(
  intent: Intent,
  context: {
    merchantName: string
    /** A mail address or an https URL. */
    support: string | null
    /** An https URL, or `none`. */
    guide: string | null
    network: Network
    exclusiveAddress: boolean
    /** The description of its payment link. */
    linkDescription: string | null
    nearMisses: readonly NearMiss[]
    authorization?: PresentableAuthorization | null
    refunds: readonly ReceiptRefund[]
  },
): string {
  const { network } = context
  const manual = manualUnits(intent, context.exclusiveAddress)
  const rest = {
    receipt: receipt(intent, context),
    authorization: context.authorization ? presentAuthorization(context.authorization) : null,
    price_units: Number(intent.amount),
    ...progress(intent),
    merchant_name: context.merchantName,
    support: context.support,
    guide: context.guide,
    manual:
      manual === null
        ? null
        : { payable_amount_units: Number(manual), payment_uri: paymentUri(intent, manual) },
    manual_available: canReserve(intent),
    description: context.linkDescription,
    near_misses: context.nearMisses.map(({ txHash, amount }) => ({
      tx_hash: txHash,
      amount_units: safeNumber(amount),
    })),
    network: {
      name: network.name,
      native_symbol: network.nativeSymbol,
      rpc_url: network.rpcUrl,
      explorer_url: network.explorerUrl,
    },
  }
  return json(intent, rest, intent.payable)
}

/**
 * Adds to {@link presentResolved}'s text what time changes.
 *
 * @param moment.now Unix milliseconds
 * @param moment.asOf when the intent was read, Unix milliseconds; null: now
 * @param moment.gasless the data to sign to pay without gas; null if not offered
 */
export function withMoment(
  resolved: string,
  { now, asOf, gasless }: { now: number; asOf: number | null; gasless: GaslessOffer | null },
): string {
  const read = asOf === null ? '' : `,"as_of":"${new Date(asOf).toISOString()}"`
  const offer = gasless === null ? 'null' : JSON.stringify(gasless)
  return `${resolved.slice(0, -1)},"server_time":"${new Date(now).toISOString()}"${read},"gasless":${offer}}`
}

/** The response to an authorization, as JSON text. */
export function presentAuthorized(
  { id, status, version }: Pick<Intent, 'id' | 'status' | 'version'>,
  authorization: PresentableAuthorization,
): string {
  return JSON.stringify({
    id,
    status,
    version,
    authorization: presentAuthorization(authorization),
  })
}

function presentAuthorization(authorization: PresentableAuthorization) {
  return {
    from: checksummed(authorization.from),
    status: authorization.status,
    reason: authorization.reason,
    tx_hash: authorization.txHash,
    valid_before: new Date(authorization.validBefore * 1000).toISOString(),
  }
}

/** The intent in an event, as JSON text. */
export function presentInEvent(intent: Intent): string {
  return json(intent, eventFields(intent))
}

function eventFields(intent: Intent) {
  return {
    payment_link: intent.paymentLink,
    ...progress(intent),
    created_at: new Date(intent.createdAt).toISOString(),
    opened_at: isoOrNull(intent.openedAt),
    succeeded_at: isoOrNull(intent.succeededAt),
    payable_amount_units: Number(intent.payable),
    amount_refunded_units: safeNumber(intent.refunded),
    amount_refunding_units: safeNumber(intent.refunding),
  }
}

/**
 * The receipt for callers that have it already, and the merchant's contact. It omits the metadata, which the payer may
 * have removed before passing the receipt on.
 */
export function presentConfirmedReceipt(
  intent: Intent,
  context: ReceiptContext & { readonly support: string | null },
): string | null {
  const terms = receipt(intent, context)
  return terms && JSON.stringify({ ...terms, support: context.support })
}

/** The receipt of an intent, as JSON text with its metadata; null unless the intent is finally paid. */
export function presentReceipt(intent: Intent, context: ReceiptContext): string | null {
  const terms = receipt(intent, context)
  return terms && withMetadata(JSON.stringify(terms), intent)
}

/** The receipt's data that the intent does not hold. */
type ReceiptContext = {
  readonly merchantName: string
  /** The intent's refunds, oldest first. */
  readonly refunds: readonly ReceiptRefund[]
}

function receipt(
  intent: Intent,
  { merchantName, refunds }: ReceiptContext,
): Omit<Receipt, 'metadata'> | null {
  const paid = payingTransfers(intent)
  // The chain took back the payment with which a `reorged` intent succeeded.
  if (intent.status !== 'succeeded' || !paid || intent.exceptions.includes('reorged')) return null
  return {
    payment_intent: intent.id,
    merchant_name: merchantName,
    chain: intent.chain,
    chain_id: intent.chainId,
    token_address: checksummed(intent.token),
    expected_wallet: checksummed(intent.wallet),
    amount_units: Number(intent.amount),
    expires_at: new Date(intent.expiresAt * 1000).toISOString(),
    salt: intent.salt,
    payment_reference: intent.reference,
    transfers: paid.map((transfer) => ({
      tx_hash: transfer.txHash,
      log_index: transfer.logIndex,
      block_timestamp: new Date(transfer.blockTimestamp * 1000).toISOString(),
      amount_units: safeNumber(transfer.amount),
      bound_by: transfer.boundBy,
    })),
    ...presentReceiptRefunds(refunds),
  }
}

/**
 * The amount that can be paid by hand now. At a shared wallet only the whole amount identifies the intent, not its
 * remainder.
 */
function manualUnits(intent: Intent, exclusiveAddress: boolean): bigint | null {
  const units = received(intent)
  const isPart = intent.status === 'requires_payment' && units > 0n
  if (isPart) return exclusiveAddress ? intent.payable - units : null
  return intent.referenceOnly ? null : intent.payable
}

/** EIP-681, with plain integers only: wallets differ in how they read exponents. */
function paymentUri(intent: Intent, units: bigint): string {
  return `ethereum:${checksummed(intent.token)}@${intent.chainId}/transfer?address=${checksummed(intent.wallet)}&uint256=${units}`
}

function progress(intent: Intent) {
  return {
    version: intent.version,
    amount_received_units: safeNumber(received(intent)),
    confirmations: intent.confirmations,
    tx_hash: intent.txHash,
    exceptions: intent.exceptions,
  }
}

function json(intent: Intent, rest: Record<string, unknown>, amount = intent.amount): string {
  return begin(intent, amount) + end(intent, rest)
}

function begin(intent: Intent, amount = intent.amount): string {
  const text = JSON.stringify({
    id: intent.id,
    status: intent.status,
    mode: intent.mode,
    chain: intent.chain,
    chain_id: intent.chainId,
    confirmations_required: intent.confirmationsRequired,
    amount_units: Number(amount),
    decimals: usdcDecimals,
    token_symbol: 'USDC',
    token_address: checksummed(intent.token),
    expected_wallet: checksummed(intent.wallet),
    expires_at: new Date(intent.expiresAt * 1000).toISOString(),
    lane: intent.lane,
    payment_reference: intent.reference,
  })
  return text.slice(0, -1)
}

function end(intent: Intent, rest: Record<string, unknown>): string {
  return `,${withMetadata(JSON.stringify(rest), intent).slice(1)}`
}

/** Adds the original text of the metadata: parsing and serialising could change it. */
function withMetadata(text: string, { metadata }: Intent): string {
  return `${text.slice(0, -1)},"metadata":${metadata}}`
}

/** A transfer can exceed 2^53 − 1 units, beyond which JSON numbers lose precision. */
export function safeNumber(units: bigint): number {
  return Number(units > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : units)
}
