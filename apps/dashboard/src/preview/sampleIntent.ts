import type { ResolvedPaymentIntent } from '@payment-intents/contract'
import { usdc } from '@payment-intents/contract/usdc'
import type { Look } from './look.ts'

const units = 24_000_000
const dayMs = 86_400_000
const chainId = 8453

/** A payment intent in the form of `resolve`, which nobody can pay. */
export function sampleIntent(
  { name, support }: Look,
  version: number,
  isPaid: boolean,
): ResolvedPaymentIntent {
  const now = Date.now()
  return {
    ...{ id: 'pi_preview', mode: 'mainnet', lane: 'sdk', version },
    status: isPaid ? 'succeeded' : 'requires_payment',
    ...{ chain: 'base', chain_id: chainId, confirmations_required: 10 },
    ...{ amount_units: units, price_units: units, decimals: 6 },
    ...{ token_symbol: 'USDC', token_address: usdc[chainId] },
    expected_wallet: `0x${'0'.repeat(40)}`,
    payment_reference: `0x${'0'.repeat(64)}`,
    server_time: new Date(now).toISOString(),
    expires_at: new Date(now + dayMs).toISOString(),
    metadata: { order_id: '1042' },
    ...{ merchant_name: name, support, guide: null, description: null },
    amount_received_units: isPaid ? units : 0,
    confirmations: isPaid ? 10 : 0,
    tx_hash: isPaid ? `0x${'0'.repeat(64)}` : null,
    ...{ exceptions: [], near_misses: [], gasless: null, authorization: null, receipt: null },
    ...{ manual_available: false, manual: null },
    network: { name: 'Base', native_symbol: 'ETH', rpc_url: 'about:blank', explorer_url: null },
  }
}
