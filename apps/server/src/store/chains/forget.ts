import type { Queryable } from '../connection/connect.ts'

/**
 * Deletes data whose time is over by the chain's clock: reserved amounts after the late window, and watched topics. A
 * wallet stays watched while an intent of it may change, and a nonce while its refund is pending.
 * @param chain `timestamp` is in Unix seconds
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
