import { randomBytes } from 'node:crypto'
import { type Address, chainFactsOf } from '@payment-intents/contract'
import { updateAttentionOfTransfers } from '../../../src/store/attention/updateAttentionOfTransfers.ts'
import type { Db } from '../../../src/store/connection/connect.ts'
import { newId } from '../../../src/store/lists/ids.ts'
import { shopWallet } from '../server/testServer.ts'

const hash = () => `0x${randomBytes(32).toString('hex')}`

/**
 * Writes a transfer to the shop's wallet, like a poll.
 * @returns its id
 */
export async function storeTransfer(
  { pool }: Db,
  transfer: {
    merchantId: string | null
    /** Base Sepolia by default. */
    chainId?: number
    /** null: the transfer is credited to nobody. */
    intentId?: string | null
    to?: Address
    amount?: number | bigint
    orphaned?: boolean
  },
): Promise<string> {
  const id = newId('tr', Date.now())
  const { merchantId, intentId = null, to = shopWallet, orphaned = false } = transfer
  const facts = chainFactsOf(transfer.chainId ?? 84532)
  await pool.query(
    `insert into transfers (id, chain_id, block_number, block_hash, block_timestamp, tx_hash, log_index,
       sender, wallet, amount_units, intent_id, bound_by, reason, orphaned, merchant_id, mode, token_address)
     values ($1, $2, 17, $3, 1767225600, $4, 3, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      ...[id, facts.chainId, hash(), hash(), `0x${'ab'.repeat(20)}`, to.toLowerCase()],
      ...[transfer.amount ?? 1_000_000, intentId, intentId && 'payable_amount'],
      ...[intentId ? null : 'no_intent', orphaned, merchantId, facts.mode],
      facts.usdc.toLowerCase(),
    ],
  )
  await updateAttentionOfTransfers(pool, [id])
  return id
}
