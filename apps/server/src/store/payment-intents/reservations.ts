import type { Queryable } from '../connection/connect.ts'

/**
 * SQL of whether no intent at a wallet uses an amount. The price of an open intent is not free either: its payer sends it with the
 * reference.
 *
 * Scalar subqueries probe an index; `not exists` would become a join of whole tables in a plan that was made while they were empty. With
 * `=` in place of `between` and an order, the planner scans all intents for each amount where most have one price: it expects the first row
 * to be of any price.
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

/** Those of some amounts that no intent at a wallet uses, in their order. */
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
 * After a reorg, amounts that counted from a later block count from the first replaced block: the present blocks had not been read when
 * they were reserved.
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
