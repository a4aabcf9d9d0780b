import type { Queryable } from '../connection/connect.ts'

/**
 * Forgets what the chain's clock has passed: frees the amounts whose late window is over, and stops reading topics
 * whose time is over, and wallets where no intent is left to move, and nonces of no refund that waits.
 *
 * @param chain.timestamp Unix seconds
 */
export async function forget(
  db: Queryable,
  chain: { chainId: number; timestamp: number },
): Promise<void> {
  await db.query({
    name: 'forget',
    text: `
      with released as (
        delete from payable_reservations where chain_id = $1 and until < to_timestamp($2)
      )
      delete from watched_topics w
      where w.chain_id = $1 and w.until < to_timestamp($2)
        and not exists (
          select 1 from payment_intents p
          where p.chain_id = $1 and p.expected_wallet = w.topic
            and (p.status in ('requires_payment', 'pending_confirmations')
              or p.status = 'succeeded' and 'reorged' = any (p.exceptions))
        )
        and not exists (
          select 1 from refunds r where r.refund_reference = w.topic and r.status = 'pending'
        )`,
    values: [chain.chainId, chain.timestamp],
  })
}
