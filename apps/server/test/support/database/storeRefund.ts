import { randomBytes } from 'node:crypto'
import { chainFactsOf } from '@payment-intents/contract'
import type { Db } from '../../../src/store/connection/connect.ts'
import { newId } from '../../../src/store/lists/ids.ts'

const hash = () => `0x${randomBytes(32).toString('hex')}`

/**
 * Writes a refund of an intent on Base Sepolia, by default a canceled refund.
 * @returns its id
 */
export async function storeRefund(
  { pool }: Db,
  refund: { merchantId: string; intentId: string; status?: 'canceled' | 'pending' },
): Promise<string> {
  const id = newId('re', Date.now())
  const { chain, chainId, mode, usdc } = chainFactsOf(84532)
  await pool.query(
    `insert into refunds (id, merchant_id, mode, intent_id, chain, chain_id, token_address,
       amount_units, refund_reference, salt, confirmations_required, metadata, created_at, status,
       sequence, confirmations)
     values ($1, $2, $3, $4, $5, $6, $7, 10000, $8, $9, 5, '{}', now(), $10, 2, 0)`,
    [
      ...[id, refund.merchantId, mode, refund.intentId, chain, chainId, usdc.toLowerCase()],
      ...[hash(), hash(), refund.status ?? 'canceled'],
    ],
  )
  return id
}
