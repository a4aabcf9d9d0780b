import type { Address } from '@payment-intents/contract'
import type { Queryable } from '../connection/connect.ts'

export type Spend = {
  /** The wei that a chain's relayer paid in the last 24 hours, and may pay for pending transactions. */
  readonly total: bigint
  /** Each merchant's share of it, for payments and refunds. */
  readonly byMerchant: ReadonlyMap<string, bigint>
  /** The maximum of wei that the key's pending transactions may take from its balance. */
  readonly reserved: bigint
}

/**
 * Reads the spend. A pending transaction counts with the passed gas price, which is close to its final cost: its own
 * fee is a maximum, and several times higher.
 */
export async function readSpend(
  db: Queryable,
  of: { chainId: number; relayer: Address; gasPrice: bigint },
): Promise<Spend> {
  const { rows } = await db.query<{ merchantId: string | null; spent: bigint; reserved: bigint }>({
    name: 'read-relayer-spend',
    text: `
      select coalesce(p.merchant_id, r.merchant_id) as "merchantId", sum(n.cost) as spent,
        coalesce(sum(n.most) filter (where n.relayer = $3), 0) as reserved
      from (
        select relayer, coalesce(max(authorization_id), '') as authorization_id,
          coalesce(sum(cost), max(gas_limit) * $2::numeric) as cost,
          max(gas_limit * max_fee_per_gas) filter (where state = 'pending') as most
        from relayer_transactions
        where chain_id = $1 and state <> 'dropped'
          and (created_at > now() - interval '1 day' or state in ('pending', 'mined'))
        group by relayer, nonce
      ) n
      left join authorizations a on a.id = n.authorization_id
      left join payment_intents p on p.id = a.intent_id left join refunds r on r.id = a.refund_id
      group by 1`,
    values: [of.chainId, of.gasPrice, of.relayer],
  })
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
  return {
    total: sum(rows.map(({ spent }) => spent)),
    byMerchant: new Map(rows.map(({ merchantId, spent }) => [merchantId ?? '', spent])),
    reserved: sum(rows.map(({ reserved }) => reserved)),
  }
}
