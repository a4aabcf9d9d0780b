import type { Db } from '../../../src/store/connection/connect.ts'

export const hourMs = 60 * 60_000
const yearMs = 365 * 24 * hourMs
/** A million rows take minutes. */
const limit = { query_timeout: 60 * 60_000 }

/**
 * Fills the last year of a merchant with payment intents at even intervals. Two of three succeed after a minute, on two
 * chains and matched in four ways. Each tenth of those is refunded after a day.
 * @returns the start of the year, in Unix milliseconds
 */
export async function fillYear({ pool }: Db, merchantId: string, count: number): Promise<number> {
  const begin = Math.floor((Date.now() - yearMs) / hourMs) * hourMs
  const client = await pool.connect()
  const run = (text: string, values: unknown[] = []) => client.query({ text, values, ...limit })
  await run('set statement_timeout = 0')
  // No triggers are needed, since no hours are stored yet.
  await run('set session_replication_role = replica')
  await run(
    `insert into payment_intents (id, merchant_id, mode, chain, chain_id, token_address,
       expected_wallet, amount_units, payable_amount_units, reference_only, payment_reference, salt,
       confirmations_required, lane, metadata, created_at, expires_at, expires_in_minutes, opened_at,
       status, version, sequence, amount_received_units, confirmations, exceptions, succeeded_at, bound_by)
     select first_id('pi', at) || lpad(n::text, 20, '0'), $1, 'testnet',
       case when n % 5 = 0 then 'polygon' else 'base' end, case when n % 5 = 0 then 80002 else 84532 end,
       '0x' || repeat('11', 20), '0x' || repeat('22', 20), 24000000 + n % 7, 24000000 + n, false,
       '0x' || lpad(n::text, 64, '0'), '0x' || repeat('33', 32), 5, 'sdk', '{}', at,
       at + interval '30 minutes', 30, case when n % 4 > 0 then at + interval '9 seconds' end,
       case when n % 3 > 0 then 'succeeded' else 'expired' end, 1, 1,
       case when n % 3 > 0 then 24000000 + n % 7 else 0 end, 0, '{}',
       case when n % 3 > 0 then at + interval '1 minute' end,
       case when n % 3 > 0 then
         (array['authorization', 'reference', 'payable_amount', 'address'])[1 + n / 3 % 4] end
     from generate_series(1, $2::integer) n,
       lateral (select date_trunc('milliseconds', $3::timestamptz + (n - 0.5) / $2 * (now() - $3))) t (at)`,
    [merchantId, count, new Date(begin)],
  )
  await run(
    `insert into refunds (id, merchant_id, mode, intent_id, chain, chain_id, token_address,
       amount_units, refund_reference, salt, confirmations_required, metadata, created_at, status,
       sequence, confirmations, succeeded_at)
     select 're' || substr(id, 3), merchant_id, mode, id, chain, chain_id, token_address, 1000000,
       payment_reference, salt, 5, '{}', created_at, 'succeeded', 1, 5,
       least(succeeded_at + interval '1 day', now())
     from payment_intents where succeeded_at is not null and right(id, 1) = '0'`,
  )
  await run('vacuum analyze')
  client.release(true)
  return begin
}
