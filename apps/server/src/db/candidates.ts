import { type Address, chainFactsOf, chains } from '@payment-intents/contract'
import {
  type Candidates,
  type Claim,
  isDust,
  type PriceClaim,
  payableKey,
  type Rail,
  transferKey,
} from '@payment-intents/rules'
import type { Hex } from 'viem'
import type { Queryable } from './connect.ts'

/** What is asked about one transaction. */
type Asked = {
  readonly chainId: number
  readonly txHash: Hex
  /** That its calldata and authorizations hold. */
  readonly references: readonly Hex[]
  readonly transfers: readonly { from: Address; to: Address; amount: bigint }[]
  /** Of its block, Unix seconds: what is reserved until an earlier time is no candidate. */
  readonly timestamp: number
  /** What is credited by this reading and not stored yet. */
  readonly credited: readonly Credited[]
}

type Credited = { readonly intentId: string; readonly amount: bigint; readonly boundBy: Rail }

/** Every intent that the transfers of one transaction could be for. */
export async function findCandidates(
  db: Queryable,
  { chainId, txHash, references, transfers, timestamp, credited }: Asked,
): Promise<Candidates> {
  const wallets = transfers.map((transfer) => transfer.to)
  // No intent asks for more; and an index of bigint is of no use to a numeric.
  const asked = transfers.filter(({ amount }) => amount <= BigInt(Number.MAX_SAFE_INTEGER))
  const amounts = asked.map((transfer) => transfer.amount)
  const askedAt = asked.map((transfer) => transfer.to)
  const { mode } = chainFactsOf(chainId)
  const sibling = chains.find((facts) => facts.mode === mode && facts.chainId !== chainId)?.chainId

  // As many of equal transfers as were assigned wherever the transaction stood when most were.
  const decided = await db.query<{
    bound_by: Rail
    sender: Address
    wallet: Address
    amount: bigint
    ids: string[]
  }>({
    name: 'find-decided',
    text: `
      select distinct on (bound_by, sender, wallet, amount_units) bound_by,
        sender, wallet, amount_units as amount, array_agg(intent_id order by log_index) as ids
      from transfers
      where chain_id = $1 and tx_hash = $2 and bound_by in ('assignment', 'price')
      group by block_hash, bound_by, sender, wallet, amount_units
      order by bound_by, sender, wallet, amount_units, count(*) desc`,
    values: [chainId, txHash],
  })
  const byReference = await db.query<{ payment_reference: Hex; id: string; wallet: Address }>({
    name: 'find-by-reference',
    text: `
      select payment_reference, id, expected_wallet as wallet from payment_intents
      where chain_id = $1 and payment_reference = any($2)`,
    values: [chainId, references],
  })
  const byAddress = await db.query<ClaimRow>({
    name: 'find-by-address',
    text: `
      select r.wallet, ${selectClaim}
      from (
        -- First: a merchant's own wallet may have a million of them.
        select distinct wallet from unnest($3::text[]) as w (wallet)
        where not exists (select from merchant_wallets m where m.address = w.wallet)
      ) alone cross join lateral (
        select wallet, intent_id, since_block, since, made_at from payable_reservations
        where chain_id = $1 and wallet = alone.wallet and until >= to_timestamp($4)
        union all
        -- A reference-only intent uses the wallet too, with no amount reserved. Its late window ends within 25 hours.
        select expected_wallet, id, null, created_at - interval '2 seconds', null
        from payment_intents
        where chain_id = $1 and expected_wallet = alone.wallet and reference_only
          and created_at >= to_timestamp($4) - interval '25 hours'
          and expires_at >= to_timestamp($4) - interval '24 hours'
      ) r`,
    values: [chainId, txHash, wallets, timestamp],
  })
  const byPayable = await db.query<ClaimRow & { chain_id: number; amount: bigint }>({
    name: 'find-by-payable',
    text: `
      select r.chain_id, r.wallet, r.payable_amount_units as amount, ${selectClaim}
      from payable_reservations r
      join unnest($3::text[], $4::bigint[]) as t (wallet, amount)
        on r.wallet = t.wallet and r.payable_amount_units = t.amount
      where r.chain_id in ($1, $5) and r.until >= to_timestamp($6)`,
    values: [chainId, txHash, askedAt, amounts, sibling ?? chainId, timestamp],
  })
  const byPrice = await db.query<PriceRow>({
    name: 'find-by-price',
    text: `
      select sent.wallet, sent.amount, ${selectClaim},
        r.status = 'requires_payment' and r.amount_received_units = 0 as is_unpaid,
        extract(epoch from r.expires_at)::bigint as expires_at
      from (select distinct * from unnest($3::text[], $4::bigint[]) as t (wallet, amount)) sent
      cross join lateral (
        select p.id as intent_id, v.since_block, v.made_at, p.status, p.amount_received_units,
          p.expires_at, coalesce(v.since, p.created_at - interval '2 seconds') as since
        from payment_intents p
        left join payable_reservations v on v.chain_id = p.chain_id and v.wallet = p.expected_wallet
          and v.payable_amount_units = p.payable_amount_units and v.intent_id = p.id
        where p.chain_id = $1 and p.expected_wallet = sent.wallet and p.amount_units = sent.amount
          and p.created_at >= to_timestamp($5) - interval '7 days'
        -- Two are as good as more: neither can be meant.
        limit 2
      ) r`,
    values: [chainId, txHash, askedAt, amounts, timestamp],
  })
  const here = byPayable.rows.filter((row) => row.chain_id === chainId)
  const there = byPayable.rows.filter((row) => row.chain_id !== chainId)
  const decidedBy = (rail: Rail) =>
    new Map(
      decided.rows
        .filter((row) => row.bound_by === rail)
        .map((row) => [transferKey(row.sender, row.wallet, row.amount), row.ids]),
    )
  return {
    assigned: decidedBy('assignment'),
    pricedBefore: decidedBy('price'),
    byReference: new Map(
      byReference.rows.map((row) => [row.payment_reference, { id: row.id, wallet: row.wallet }]),
    ),
    byAddress: Map.groupBy(byAddress.rows.map(toClaim), (claim) => claim.wallet),
    byPayable: new Map(
      here.map((row) => [payableKey(row.wallet, row.amount), toClaim(row)] as const),
    ),
    byPrice: Map.groupBy(
      byPrice.rows.map((row) => ({
        ...toPriceClaim(row, credited),
        key: payableKey(row.wallet, row.amount),
      })),
      ({ key }) => key,
    ),
    onSibling: new Set(there.map((row) => payableKey(row.wallet, row.amount))),
  }
}

/** Of a reservation `r`, for transaction $2 of chain $1. */
const selectClaim = `
  r.intent_id as id, r.since_block, r.since, coalesce((
    select min(seen_at) from transfers where chain_id = $1 and tx_hash = $2
  ) < r.made_at, false) as seen_before`

type ClaimRow = {
  wallet: Address
  id: string
  since_block: bigint | null
  since: Date | null
  seen_before: boolean
}

function toClaim(row: ClaimRow): Claim & { wallet: Address } {
  const { id, wallet, since_block: number, seen_before: seenBefore } = row
  const timestamp = Math.floor((row.since?.getTime() ?? 0) / 1000)
  const since =
    number === null ? { type: 'time' as const, timestamp } : { type: 'block' as const, number }
  return { id, wallet, since, seenBefore }
}

type PriceRow = ClaimRow & { amount: bigint; is_unpaid: boolean; expires_at: bigint }

/** Its amount is the intent's price. */
function toPriceClaim(row: PriceRow, credited: readonly Credited[]): PriceClaim {
  const price = { amount: row.amount, payable: row.amount }
  const isPaidNow = credited.some((one) => one.intentId === row.id && !isDust(price, one))
  return {
    ...toClaim(row),
    isUnpaid: row.is_unpaid && !isPaidNow,
    expiresAt: Number(row.expires_at),
  }
}
