import type { Queryable } from '../connect.ts'

/**
 * Takes the first candidate that is free. One that a creation which has not committed yet is about to take counts as
 * taken, so that creations of one price never wait for each other. The price of an open intent is never taken: it is
 * what its payer sends with the reference.
 *
 * Scalar subqueries probe an index for one candidate after the other until one is free; `not exists` would become a
 * join of whole tables in a plan that was made while they were empty. Without statistics the planner also takes an index
 * of all open intents of the chain for as good as that of their prices: `not in` keeps it from the former.
 */
const reserve = `
  with free as materialized (
    select payable from unnest($3::bigint[]) as candidates (payable)
    where case
      when (
        select true from payable_reservations r
        where r.chain_id = $1 and r.wallet = $2 and r.payable_amount_units = payable
      ) is null and (
        select true from payment_intents p
        where p.chain_id = $1 and p.expected_wallet = $2 and p.amount_units = payable
          and p.status not in ('succeeded', 'expired', 'canceled')
        limit 1
      ) is null
      then pg_try_advisory_xact_lock(hashtextextended($2 || ':' || payable, $1))
      else false
    end
    limit 1
  )
  insert into payable_reservations
    (chain_id, wallet, payable_amount_units, intent_id, since_block, since, until)
  select $1, $2, payable, $4, c.scanned_to + 1,
    case when c.scanned_to is null then $5::timestamptz - interval '2 seconds' end,
    to_timestamp($6)
  from free left join chain_cursors c
    on c.chain_id = $1 and c.scanned_at > now() - interval '10 seconds'
  on conflict do nothing
  returning payable_amount_units`

/**
 * Reserves an amount that no other intent at this wallet asks for.
 *
 * It counts from the block after the last one read. While no process follows the chain, it counts
 * from the creation, less the 2 s that a block's timestamp can lie behind.
 *
 * @param wanted.candidates in the order they are tried, in batches
 * @param wanted.since Unix milliseconds
 * @param wanted.until Unix seconds
 * @returns the amount, or null when none of them is free
 */
export async function reservePayable(
  db: Queryable,
  wanted: {
    chainId: number
    wallet: string
    intentId: string
    candidates: Iterable<readonly bigint[]>
    since: number
    until: number
  },
): Promise<bigint | null> {
  for (const candidates of wanted.candidates) {
    const { rows } = await db.query<{ payable_amount_units: bigint }>({
      name: 'reserve-payable',
      text: reserve,
      values: [
        wanted.chainId,
        wanted.wallet,
        candidates,
        wanted.intentId,
        new Date(wanted.since),
        wanted.until,
      ],
    })
    if (rows[0]) return rows[0].payable_amount_units
  }
  return null
}

/**
 * After a reorg, amounts that counted from a later block count from the first one that was replaced: the blocks
 * that are there now had not been read when they were reserved.
 */
export async function countFromReplaced(
  db: Queryable,
  chain: { chainId: number; replacedFrom: bigint },
): Promise<void> {
  await db.query({
    name: 'count-from-replaced',
    text: `
      update payable_reservations set since_block = $2
      where chain_id = $1 and since_block > $2`,
    values: [chain.chainId, chain.replacedFrom],
  })
}
