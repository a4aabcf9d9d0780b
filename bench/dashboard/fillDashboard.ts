import type { Db } from '../../apps/server/src/store/connection/connect.ts'
import { fillLists, intentAt } from '../../apps/server/test/support/database/fillLists.ts'

const endpointId = `we_${'0'.repeat(30)}`
/** A million rows take minutes. */
const limit = { query_timeout: 60 * 60 * 1_000 }

/**
 * Gives a merchant so many payment intents, transfers, events and payment links; and as many refunds, items of attention, delivered
 * webhooks and entries of the audit log.
 *
 * @returns the path of each read
 */
export async function fillDashboard(
  db: Db,
  merchantId: string,
  count: number,
): Promise<Readonly<Record<string, string>>> {
  await fillLists(db, merchantId, count)
  const client = await db.pool.connect()
  const run = (text: string, values: unknown[] = []) => client.query({ text, values, ...limit })
  try {
    await run('set statement_timeout = 0')
    await run('set session_replication_role = replica')
    for (const statement of statements) await run(statement)
    await run(
      `insert into webhook_endpoints (id, merchant_id, mode, url, description, secret_key, created_at)
       values ($1, $2, 'testnet', 'https://shop.example/hook', '', 'one', now())`,
      [endpointId, merchantId],
    )
    await run(
      `insert into webhook_deliveries (endpoint_id, event_id, attempts, last_attempt_at,
         response_status, delivered_at, attempts_recorded)
       select $1, id, 1, now(), 200, now(), 1 from events`,
      [endpointId],
    )
    await run(
      `insert into webhook_attempts (endpoint_id, event_id, slot, id, started_at, duration_ms,
         response_status, response_body)
       select $1, id, 0, 'at' || substr(id, 4), now(), 20, 200, 'ok' from events`,
      [endpointId],
    )
    await run('vacuum analyze')
  } finally {
    client.release(true)
  }
  const middle = intentAt(Math.floor(count / 2), count).id
  const newest = intentAt(count, count).id
  const payer = '0x'.padEnd(42, '2')
  return {
    'payment intents': '/v1/payment_intents',
    'payment intents of a payer': `/v1/payment_intents?payer=${payer}`,
    'a payment intent': `/v1/payment_intents/${middle}`,
    'its timeline': `/v1/payment_intents/${middle}/timeline`,
    'the timeline of an intent with 500 transfers': `/v1/payment_intents/${newest}/timeline`,
    transfers: '/v1/transfers',
    'transfers, unmatched': '/v1/transfers?matched=false',
    refunds: '/v1/refunds',
    'payment links': '/v1/payment_links',
    events: '/v1/events',
    'events of a type': '/v1/events?type=payment_intent.canceled',
    attention: '/v1/attention',
    'attention, refunds': '/v1/attention?type=refund_waiting',
    'webhook endpoints': '/v1/webhook_endpoints',
    'attempts at an endpoint': `/v1/webhook_endpoints/${endpointId}/attempts`,
    'deliveries of an endpoint': `/v1/webhook_endpoints/${endpointId}/deliveries`,
  }
}

const statements = [
  // Lists have the events of the last thirty days alone.
  `update events set created_at = now()`,
  `insert into refunds (id, merchant_id, mode, intent_id, chain, chain_id, token_address,
     amount_units, refund_reference, salt, confirmations_required, metadata, created_at, status,
     sequence, confirmations)
   select 're' || substr(id, 3), merchant_id, mode, id, chain, chain_id, token_address, 10000,
     payment_reference, salt, 5, '{}', created_at, 'requires_destination', 1, 0
   from payment_intents`,
  `insert into attention (object_id, merchant_id, mode, type, since)
   select id, merchant_id, mode, 'refund_waiting', now() from refunds`,
]
