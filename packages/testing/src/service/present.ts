import {
  chainFacts,
  type Mode,
  type PaymentIntent,
  type ResolvedPaymentIntent,
  type RetrievedPaymentIntent,
  type Transfer,
  usdcDecimals,
} from '@payment-intents/contract'
import { type Intent, type LedgerTransfer, received } from './intent.ts'

/** The answer of a creation, which alone tells the client secret. */
export function presentCreated(intent: Intent): PaymentIntent {
  return {
    ...terms(intent),
    expires_in_minutes: intent.expiresInMinutes,
    created_at: iso(intent.createdAt),
    payable_amount_units: Number(intent.payable),
    client_secret: intent.clientSecret,
  }
}

/** What a merchant reads later, and what events tell. */
export function presentRetrieved(intent: Intent): RetrievedPaymentIntent {
  return {
    ...terms(intent),
    ...progress(intent),
    created_at: iso(intent.createdAt),
    payable_amount_units: Number(intent.payable),
  }
}

/** What the checkout is told. @param known.now Unix milliseconds */
export function presentResolved(
  intent: Intent,
  known: { merchantName: string; now: number },
): ResolvedPaymentIntent {
  const facts = chainFacts(intent.mode, intent.chain)
  return {
    ...terms(intent),
    amount_units: Number(intent.payable),
    price_units: Number(intent.amount),
    ...progress(intent),
    server_time: iso(known.now),
    merchant_name: known.merchantName,
    manual: intent.referenceOnly
      ? null
      : {
          payable_amount_units: Number(intent.payable),
          payment_uri: `ethereum:${facts.usdc}@${facts.chainId}/transfer?address=${intent.wallet}&uint256=${intent.payable}`,
        },
    near_misses: [],
    network: {
      name: facts.name,
      native_symbol: facts.nativeSymbol,
      rpc_url: facts.publicRpcUrl,
      explorer_url: facts.explorerUrl,
    },
  }
}

export function presentTransfer(transfer: LedgerTransfer, mode: Mode): Transfer {
  const { chainId, usdc } = chainFacts(mode, transfer.chain)
  return {
    id: transfer.id,
    chain: transfer.chain,
    chain_id: chainId,
    tx_hash: transfer.txHash,
    log_index: 0,
    block_number: transfer.blockNumber,
    block_timestamp: iso(transfer.blockTimestamp * 1000),
    from: transfer.from,
    to: transfer.to,
    amount_units: safeNumber(transfer.amount),
    token_address: usdc,
    payment_intent: transfer.intentId,
    bound_by: transfer.boundBy,
    reason: transfer.reason,
    orphaned: transfer.orphaned,
    created_at: iso(transfer.seenAt),
  }
}

function terms(intent: Intent) {
  const facts = chainFacts(intent.mode, intent.chain)
  return {
    id: intent.id,
    status: intent.status,
    mode: intent.mode,
    chain: intent.chain,
    chain_id: facts.chainId,
    confirmations_required: intent.confirmationsRequired,
    amount_units: Number(intent.amount),
    decimals: usdcDecimals,
    token_symbol: 'USDC',
    token_address: facts.usdc,
    expected_wallet: intent.wallet,
    expires_at: iso(intent.expiresAt * 1000),
    lane: intent.lane,
    metadata: intent.metadata,
    payment_reference: intent.reference,
  }
}

function progress(intent: Intent) {
  return {
    version: intent.version,
    amount_received_units: safeNumber(received(intent)),
    confirmations: intent.confirmations,
    tx_hash: intent.txHash,
    exceptions: [...intent.exceptions],
  }
}

/** A wallet can be sent more units than JSON readers could tell apart. */
function safeNumber(units: bigint): number {
  return Number(units > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : units)
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
