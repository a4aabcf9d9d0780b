import {
  type Refund as RefundResponse,
  type RefundTypedData,
  usdcDecimals,
  windows,
} from '@payment-intents/contract'
import { authorizationTypes } from '@payment-intents/contract/usdc'
import { checksummed } from '../lib/checksummed.ts'
import { isoOrNull } from '../lib/isoOrNull.ts'
import { usdcDomain } from '../payment-intents/checkout/gaslessOffer.ts'
import type { Refund } from './refund.ts'

/** A refund in lists and events, as JSON text. */
export function presentInRefundEvent(refund: Refund): string {
  return withMetadata(JSON.stringify(fieldsOf(refund)), refund)
}

/** The fields that a refund's own response adds to {@link presentInRefundEvent}. */
type Additions = Pick<RefundResponse, 'links' | 'signable_until' | 'typed_data'>

/**
 * The link for the payer, and the terms that a wallet of the merchant signs to pay the refund.
 *
 * @param page `links.page`
 * @param isCovered whether the finally received amount of the source covers every refund that is not canceled
 * @param now the chain's clock, Unix milliseconds
 */
export function additionsOf(
  refund: Refund,
  { page, isCovered, now }: { page: string; isCovered: boolean; now: number },
): Additions {
  const links = { page }
  const isSignable = refund.status === 'requires_signature' && isCovered
  if (!isSignable) return { links, signable_until: null, typed_data: null }
  const validBefore = Math.floor(now / 1000) + windows.refundSignable
  return {
    links,
    signable_until: new Date(validBefore * 1000).toISOString(),
    typed_data: typedData(refund, validBefore),
  }
}

/**
 * Adds the fields that no stored text has to {@link presentInRefundEvent}'s text: they are secret or depend on the
 * time.
 */
export function withAdditions(refund: string, additions: Additions): string {
  return `${refund.slice(0, -1)},${JSON.stringify(additions).slice(1)}`
}

function fieldsOf(refund: Refund) {
  const { destination, from, transfer } = refund
  return {
    id: refund.id,
    payment_intent: refund.intentId,
    transfer: refund.transferId,
    status: refund.status,
    mode: refund.mode,
    chain: refund.chain,
    chain_id: refund.chainId,
    confirmations_required: refund.confirmationsRequired,
    amount_units: Number(refund.amount),
    decimals: usdcDecimals,
    token_symbol: 'USDC',
    token_address: checksummed(refund.token),
    destination: destination && checksummed(destination),
    destination_proof: refund.destinationProof,
    refund_reference: refund.reference,
    reason: refund.reason,
    from: from && checksummed(from),
    from_verified: refund.isFromVerified,
    tx_hash: transfer?.txHash ?? null,
    confirmations: refund.confirmations,
    created_at: new Date(refund.createdAt).toISOString(),
    succeeded_at: isoOrNull(refund.succeededAt),
  }
}

/** The message that a wallet of the merchant signs, without `from`. */
function typedData(refund: Refund, validBefore: number): RefundTypedData | null {
  const { chainId, destination, amount, reference } = refund
  if (!destination) return null
  return {
    domain: usdcDomain(chainId),
    types: {
      TransferWithAuthorization: authorizationTypes.TransferWithAuthorization.map((field) => ({
        ...field,
      })),
    },
    primaryType: 'TransferWithAuthorization',
    message: {
      to: checksummed(destination),
      value: String(amount),
      validAfter: '0',
      validBefore: String(validBefore),
      nonce: reference,
    },
  }
}

/** Adds the original text of the metadata: parsing and serialising could change it. */
function withMetadata(text: string, { metadata }: Refund): string {
  return `${text.slice(0, -1)},"metadata":${metadata}}`
}
