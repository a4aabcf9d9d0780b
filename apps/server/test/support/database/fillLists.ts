import type { EventType, PaymentIntentStatus } from '@payment-intents/contract'
import type { Db } from '../../../src/store/connection/connect.ts'
import { metadataEntry } from '../../../src/store/payment-intents/metadata.ts'

/** The number of rare rows, which have a value that all others lack. */
export const few = 5
/** The number of the newest transfers that pay the same intent. */
const intentsPerMerchant = 500

/** The `n`th intent of {@link fillLists}, from 1, oldest first. */
export function intentAt(n: number, count: number) {
  const isOld = n <= few
  const status: PaymentIntentStatus = isOld
    ? 'canceled'
    : n > count - few
      ? 'requires_payment'
      : n % 2 === 0
        ? 'succeeded'
        : 'expired'
  const half = n <= count / 2 ? 'older' : 'newer'
  const parity = n % 2 === 0 ? 'even' : 'odd'
  // Except for the oldest, it alternates with the even intents.
  const isUnresolved = isOld || parity === 'odd'
  return {
    n,
    id: idOf('pi', n),
    status,
    chain: isOld ? ('polygon' as const) : ('base' as const),
    wallet: isOld ? addresses.rare : addresses[parity],
    amount: isOld ? 5_000_000 : 24_000_000,
    payable: 24_000_000 + n,
    reference: hashOf(n),
    paymentLink: linkOf(n),
    metadata: {
      ...{ source: 'web', half, parity },
      ...(isOld ? { campaign: 'first' } : {}),
      ...(isUnresolved ? { side: 'left' } : {}),
    } as Record<string, string>,
  }
}

/** The `n`th transfer. The newest pay the same intent. */
export function transferAt(n: number, count: number) {
  const isOld = n <= few
  return {
    n,
    id: idOf('tr', n),
    chainId: isOld ? 80002 : 84532,
    intentId: isOld ? null : idOf('pi', n > count - intentsPerMerchant ? count : n),
    txHash: hashOf(n),
    from: n <= 2 * few ? addresses.rare : addresses[n % 2 === 0 ? 'even' : 'odd'],
    to: isOld ? addresses.rare : addresses.even,
    amount: isOld ? 5_000_000 : 24_000_000,
  }
}

export const addresses = {
  rare: `0x${'77'.repeat(20)}`,
  even: `0x${'22'.repeat(20)}`,
  odd: `0x${'44'.repeat(20)}`,
} as const

export const paymentLinks = { rare: idOf('plink', 1), half: idOf('plink', 2) } as const

/** The payment link of the `n`th intent. Most odd intents have none. */
function linkOf(n: number): string | null {
  if (n <= few) return paymentLinks.rare
  return n % 2 === 0 ? paymentLinks.half : null
}

/** The `n`th payment link, from 1. */
export function linkAt(n: number) {
  return { n, id: idOf('plink', n), active: n > few }
}

/** The hash of the `n`th transaction, and the reference of the `n`th intent. */
export function hashOf(n: number): string {
  return `0x${String(n).padStart(64, '0')}`
}

/** The `n`th event and its position. Only the newest few are at most 30 days old. */
export function eventAt(n: number, count: number) {
  const isOld = n <= few
  const type: EventType = isOld ? 'payment_intent.canceled' : 'payment_intent.created'
  const isRecent = n > count - few
  return { id: idOf('evt', n), type, intentId: idOf('pi', n), paymentLink: linkOf(n), isRecent }
}

/** Fills each list of a merchant with this many rows, in which some values are rare. */
export async function fillLists({ pool }: Db, merchantId: string, count: number): Promise<void> {
  const client = await pool.connect()
  await client.query('set statement_timeout = 0')
  // A million rows take minutes.
  const limit = { query_timeout: 60 * 60 * 1_000 }
  const run = (text: string, values?: unknown[]) =>
    client.query({ text, ...(values ? { values } : {}), ...limit })
  // An index-only scan also reads the pages of rows until a vacuum has found them visible to every snapshot in this
  // database. The analysis of an autovacuum would hold a snapshot.
  await run(
    `do $$ declare name text; begin
       for name in select tablename from pg_tables where schemaname = 'public' loop
         execute format('alter table %I set (autovacuum_enabled = false)', name);
       end loop;
     end $$`,
  )
  const entry = (key: string, value: string) => metadataEntry(key, value)
  const address = (isRare: string) =>
    `case when ${isRare} then '${addresses.rare}' when n % 2 = 0 then '${addresses.even}' else '${addresses.odd}' end`
  const link = `case when n <= ${few} then '${paymentLinks.rare}' when n % 2 = 0 then '${paymentLinks.half}' end`
  await run(
    `insert into payment_links (id, merchant_id, mode, chains, active, description, metadata,
       payments_count, created_at)
     select 'plink_' || rpad(lpad(n::text, 10, '0'), 30, '0'), $1, 'testnet', '{base}', n > $3,
       'A link', '{}', 0, now()
     from generate_series(1, $2::integer) n`,
    [merchantId, count, few],
  )
  await run(
    `insert into payment_intents (id, merchant_id, mode, chain, chain_id, token_address, expected_wallet,
       amount_units, payable_amount_units, reference_only, payment_reference, salt, confirmations_required,
       lane, metadata, created_at, expires_at, expires_in_minutes, status, version, sequence,
       amount_received_units, confirmations, exceptions, payment_link)
     select 'pi_' || rpad(lpad(n::text, 10, '0'), 30, '0'), $1, 'testnet',
       case when n <= $3 then 'polygon' else 'base' end, case when n <= $3 then 80002 else 84532 end,
       '0x' || repeat('11', 20), ${address('n <= $3')}, case when n <= $3 then 5000000 else 24000000 end,
       24000000 + n, false,
       '0x' || lpad(n::text, 64, '0'), '0x' || repeat('33', 32), 5, 'sdk', '{}',
       now(), now(), 30,
       case when n <= $3 then 'canceled' when n > $2 - $3 then 'requires_payment'
         when n % 2 = 0 then 'succeeded' else 'expired' end,
       1, 1, 0, 0, '{}', ${link}
     from generate_series(1, $2::integer) n`,
    [merchantId, count, few],
  )
  const half = Math.floor(count / 2)
  const entries = [
    [entry('source', 'web'), 'true'],
    [entry('half', 'older'), `n <= ${half}`],
    [entry('half', 'newer'), `n > ${half}`],
    [entry('campaign', 'first'), `n <= ${few}`],
    [entry('parity', 'even'), 'n % 2 = 0'],
    [entry('parity', 'odd'), 'n % 2 = 1'],
    [entry('side', 'left'), `n <= ${few} or n % 2 = 1`],
  ] as const
  for (const [hash, condition] of entries) {
    await run(
      `insert into payment_intent_metadata (merchant_id, mode, entry, intent_id)
       select $1, 'testnet', $2, 'pi_' || rpad(lpad(n::text, 10, '0'), 30, '0')
       from generate_series(1, $3::integer) n where ${condition}`,
      [merchantId, hash, count],
    )
  }
  await run(
    `insert into transfers (id, chain_id, block_number, block_hash, block_timestamp, tx_hash, log_index, sender,
       wallet, token_address, amount_units, merchant_id, mode, intent_id, bound_by, reason)
     select 'tr_' || rpad(lpad(n::text, 10, '0'), 30, '0'), case when n <= $3 then 80002 else 84532 end, n,
       '0x' || lpad(n::text, 64, '0'), 1767225600, '0x' || lpad(n::text, 64, '0'), 0,
       ${address('n <= 2 * $3')}, case when n <= $3 then '${addresses.rare}' else '${addresses.even}' end,
       '0x' || repeat('11', 20), case when n <= $3 then 5000000 else 24000000 end, $1, 'testnet',
       case when n > $3 then 'pi_' || rpad(lpad((case when n > $2 - $4 then $2 else n end)::text, 10, '0'), 30, '0') end,
       case when n > $3 then 'reference' end, case when n <= $3 then 'no_intent' end
     from generate_series(1, $2::integer) n`,
    [merchantId, count, few, intentsPerMerchant],
  )
  // Values that are rare for this merchant are not rare in general.
  await run(
    `insert into transfers (id, chain_id, block_number, block_hash, block_timestamp, tx_hash, log_index, sender,
       wallet, token_address, amount_units, reason)
     select 'tr_' || rpad(lpad(n::text, 10, '0'), 30, '0'), 80002, n, '0x' || lpad(n::text, 64, '0'), 1767225600,
       '0x' || lpad(n::text, 64, '0'), 0, '0x' || repeat('44', 20), '0x' || repeat('55', 20),
       '0x' || repeat('11', 20), 24000000, 'no_intent'
     from generate_series($1::integer + 1, $1::integer * 2) n`,
    [count],
  )
  await run(
    `insert into events (id, merchant_id, mode, type, intent_id, sequence, created_at, object, position, payment_link)
     select 'evt_' || rpad(lpad(n::text, 10, '0'), 30, '0'), $1, 'testnet',
       case when n <= $3 then 'payment_intent.canceled' else 'payment_intent.created' end,
       'pi_' || rpad(lpad(n::text, 10, '0'), 30, '0'), 1,
       now() - (case when n > $2 - $3 then interval '1 hour' else interval '31 days' end) + n * interval '1 microsecond',
       '{}', n, ${link}
     from generate_series(1, $2::integer) n`,
    [merchantId, count, few],
  )
  await run('vacuum analyze')
  client.release(true)
}

/** An id with the number in place of the time. */
function idOf(prefix: string, n: number): string {
  return `${prefix}_${String(n).padStart(10, '0').padEnd(30, '0')}`
}
