import { one, type Queryable } from './connect.ts'

/** Tags in the order they are tried: none, then hundreds, then every other unit; all below one cent. */
const tiers: readonly (readonly number[])[] = [
  [0],
  range(9_999).filter((tag) => tag % 100 === 0),
  range(9_999).filter((tag) => tag % 100 !== 0),
]

const reserve = `
  with free as (
    select $3::bigint + tag as payable
    from unnest($4::integer[]) with ordinality as tags (tag, rank)
    where $3::bigint + tag <= 9007199254740991
      and $3::bigint + tag not in (
        select payable_amount_units from payable_reservations
        where chain_id = $1 and wallet = $2
          and payable_amount_units between $3::bigint + $7 and $3::bigint + $8
      )
    order by rank
    limit 1
  ), reserved as (
    insert into payable_reservations
      (chain_id, wallet, payable_amount_units, intent_id, since_block, since, until)
    select $1, $2, payable, $5, c.scanned_to + 1,
      case when c.scanned_to is null then $9::timestamptz - interval '2 seconds' end,
      to_timestamp($6)
    from free left join chain_cursors c
      on c.chain_id = $1 and c.scanned_at > now() - interval '10 seconds'
    on conflict do nothing
    returning payable_amount_units
  )
  select (select payable from free) as free,
    (select payable_amount_units from reserved) as reserved`

/**
 * Reserves the amount nearest above `amount` that no other intent at this wallet asks for.
 *
 * It counts from the block after the last one read. Where nobody follows the chain at the moment, it counts
 * from the creation, less the 2 s that a block's timestamp can lie behind.
 *
 * @param wanted `since` in Unix milliseconds, `until` in Unix seconds
 * @returns the amount, or null when all 10,000 are taken
 */
export async function reservePayable(
  db: Queryable,
  wanted: {
    chainId: number
    wallet: string
    amount: bigint
    intentId: string
    since: number
    until: number
  },
): Promise<bigint | null> {
  for (const tags of tiers) {
    for (;;) {
      const { free, reserved } = one(
        await db.query<{ free: bigint | null; reserved: bigint | null }>({
          name: 'reserve-payable',
          text: reserve,
          values: [
            wanted.chainId,
            wanted.wallet,
            wanted.amount,
            tags,
            wanted.intentId,
            wanted.until,
            tags[0],
            tags.at(-1),
            new Date(wanted.since),
          ],
        }),
      )
      if (reserved !== null) return reserved
      if (free === null) break
      // Another transaction took it in between: look again, and find the next one.
    }
  }
  return null
}

/**
 * After a reorg, amounts that counted from a later block count from the first one that was replaced: what stands
 * there now had not been read when they were reserved.
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

/** Frees the amounts whose late window the chain's clock has passed. */
export async function releasePayables(
  db: Queryable,
  chain: { chainId: number; timestamp: number },
): Promise<void> {
  await db.query({
    name: 'release-payables',
    text: 'delete from payable_reservations where chain_id = $1 and until < to_timestamp($2)',
    values: [chain.chainId, chain.timestamp],
  })
}

function range(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}
