import type { Queryable } from '../connection/connect.ts'

/**
 * SQL that tells whether no intent at a wallet uses an amount. The price of an open intent is not free either, since
 * its payer sends it with the reference.
 *
 * Scalar subqueries probe an index. `not exists` could become a join of whole tables, in a plan that was made while
 * they were empty. If most intents have the same price, `=` in place of `between` and an order would make the planner
 * scan all intents for each amount, since it expects to meet any price soon.
 */
export function isFree(chainId: string, wallet: string, amount: string): string {
  return `(
    select true from payable_reservations r
    where r.chain_id = ${chainId} and r.wallet = ${wallet} and r.payable_amount_units = ${amount}
  ) is null and (
    select true from payment_intents p
    where p.chain_id = ${chainId} and p.expected_wallet = ${wallet}
      and p.amount_units between ${amount} and ${amount}
      and p.status in ('requires_payment', 'pending_confirmations')
    order by p.amount_units
    limit 1
  ) is null`
}

/** Finds the amounts that no intent at a wallet uses. Keeps their order. */
export async function findFree(
  db: Queryable,
  { chainId, wallet }: { chainId: number; wallet: string },
  amounts: readonly bigint[],
): Promise<bigint[]> {
  const { rows } = await db.query<{ amount: bigint }>({
    name: 'find-free-amounts',
    text: `
      select amount from unnest($3::bigint[]) with ordinality as candidates (amount, n)
      where ${isFree('$1', '$2', 'amount')} order by n`,
    values: [chainId, wallet, amounts],
  })
  return rows.map(({ amount }) => amount)
}

/**
 * Has amounts that count from a replaced block count from the first replaced block: when they were reserved, the blocks
 * that are now canonical had not been read.
 */
export async function lowerSinceBlock(
  db: Queryable,
  chain: { chainId: number; reorgedFrom: bigint },
): Promise<void> {
  await db.query({
    name: 'count-from-replaced',
    text: `
      update payable_reservations set since_block = $2
      where chain_id = $1 and since_block > $2`,
    values: [chain.chainId, chain.reorgedFrom],
  })
}
