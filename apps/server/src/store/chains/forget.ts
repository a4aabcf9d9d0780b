import type { Queryable } from '../connection/connect.ts'

/**
 * Deletes data that the chain's clock has passed: frees the amounts whose late window is over, and stops watching
 * expired topics, wallets without an intent that may still change, and nonces of no waiting refund.
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
