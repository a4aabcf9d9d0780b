import type { LockedSource, Refund } from '@payment-intents/core'
import { lockOutPolls } from '../chains/cursors.ts'
import type { Queryable } from '../connection/connect.ts'

/**
 * Locks a refund's source. Until the transaction ends, no poll of its chain is recorded, no transfer is assigned, and
 * no other refund of the source is created. Everywhere intents are locked before transfers, and transfers before
 * refunds.
 * @returns the transfer if it is the source; null: the source is an intent
 */
export async function lockSource(
  db: Queryable,
  { intentId, transferId, chainId }: Pick<Refund, 'intentId' | 'transferId' | 'chainId'>,
): Promise<LockedSource['transfer']> {
  await lockOutPolls(db, chainId)
  if (transferId === null) {
    await db.query({
      name: 'lock-refunded-intent',
      text: 'select from payment_intents where id = $1 for update',
      values: [intentId],
    })
    return null
  }
  const { rows } = await db.query<NonNullable<LockedSource['transfer']>>({
    name: 'lock-refunded-transfer',
    text: `
      select intent_id as "intentId", token_address as token, orphaned from transfers
      where id = $1 for update`,
    values: [transferId],
  })
  return rows[0] ?? null
}
