import type { Queryable } from '../connect.ts'

/** Wei that a chain's relayer has paid in the last 24 hours, and may pay for what is under way, by merchant. */
export type Spend = { readonly total: bigint; readonly byMerchant: ReadonlyMap<string, bigint> }

/**
 * What is under way counts with the price that is given, which is about what it will cost; its own fee is what it may cost at
 * most, and several times that.
 */
export async function readSpend(
  db: Queryable,
  { chainId, gasPrice }: { chainId: number; gasPrice: bigint },
): Promise<Spend> {
  const { rows } = await db.query<{ merchantId: string | null; spent: bigint }>({
    name: 'read-relayer-spend',
    text: `
      select p.merchant_id as "merchantId", sum(n.cost) as spent
      from (
        select coalesce(max(authorization_id), '') as authorization_id,
          coalesce(sum(cost), max(gas_limit) * $2::numeric) as cost
        from relayer_transactions
        where chain_id = $1 and state <> 'dropped'
          and (created_at > now() - interval '1 day' or state in ('pending', 'mined'))
        group by relayer, nonce
      ) n
      left join authorizations a on a.id = n.authorization_id
      left join payment_intents p on p.id = a.intent_id
      group by p.merchant_id`,
    values: [chainId, gasPrice],
  })
  const byMerchant = new Map(rows.map(({ merchantId, spent }) => [merchantId ?? '', BigInt(spent)]))
  return { total: [...byMerchant.values()].reduce((sum, one) => sum + one, 0n), byMerchant }
}
