import { type Address, chainFactsOf, chains } from '@payment-intents/contract'
import type { Hex } from 'viem'
import { announcedKey, type Candidates, type Claim, payableKey } from '../intent/bind.ts'
import type { Queryable } from './connect.ts'

/**
 * Every intent that the transfers of one transaction, with these references in its calldata, could be for.
 *
 * @param timestamp of its block, Unix seconds: what is reserved until an earlier time is no candidate
 */
export async function findCandidates(
  db: Queryable,
  chainId: number,
  txHash: Hex,
  references: readonly Hex[],
  transfers: readonly { from: Address; to: Address; amount: bigint }[],
  timestamp: number,
): Promise<Candidates> {
  const wallets = transfers.map((transfer) => transfer.to)
  const amounts = transfers.map((transfer) => transfer.amount)
  const { mode } = chainFactsOf(chainId)
  const sibling = chains.find((facts) => facts.mode === mode && facts.chainId !== chainId)?.chainId

  // As many of equal transfers as were assigned wherever the transaction stood when most were.
  const assigned = await db.query<{
    sender: Address
    wallet: Address
    amount: bigint
    ids: string[]
  }>({
    name: 'find-assigned',
    text: `
      select distinct on (sender, wallet, amount_units)
        sender, wallet, amount_units as amount, array_agg(intent_id order by log_index) as ids
      from transfers
      where chain_id = $1 and tx_hash = $2 and bound_by = 'assignment'
      group by block_hash, sender, wallet, amount_units
      order by sender, wallet, amount_units, count(*) desc`,
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
        select wallet, intent_id, since_block, since, made_at from payable_reservations
        where chain_id = $1 and wallet = any($3) and until >= to_timestamp($4)
        union all
        -- A reference-only intent uses the wallet too, with no amount reserved. Its late window ends within 25 hours.
        select expected_wallet, id, null, created_at - interval '2 seconds', null
        from payment_intents
        where chain_id = $1 and expected_wallet = any($3) and reference_only
          and created_at >= to_timestamp($4) - interval '25 hours'
          and expires_at >= to_timestamp($4) - interval '24 hours'
      ) r
      where not exists (select 1 from merchant_wallets w where w.address = r.wallet)`,
    values: [chainId, txHash, wallets, timestamp],
  })
  const byPayable = await db.query<ClaimRow & { chain_id: number; amount: bigint }>({
    name: 'find-by-payable',
    text: `
      select r.chain_id, r.wallet, r.payable_amount_units as amount, ${selectClaim}
      from payable_reservations r
      join unnest($3::text[], $4::numeric[]) as t (wallet, amount)
        on r.wallet = t.wallet and r.payable_amount_units = t.amount
      where r.chain_id in ($1, $5) and r.until >= to_timestamp($6)`,
    values: [chainId, txHash, wallets, amounts, sibling ?? chainId, timestamp],
  })
  const announced = await db.query<{ payer: Address; wallet: Address; amount: bigint }>({
    name: 'find-announced',
    text: `
      select a.payer, p.expected_wallet as wallet, p.payable_amount_units as amount
      from announced_payers a join payment_intents p on p.id = a.intent_id
      where p.chain_id = $1 and a.payer = any($2)
        and p.expires_at >= to_timestamp($3) - interval '24 hours'`,
    values: [chainId, transfers.map((transfer) => transfer.from), timestamp],
  })
  const here = byPayable.rows.filter((row) => row.chain_id === chainId)
  const there = byPayable.rows.filter((row) => row.chain_id !== chainId)
  return {
    assigned: new Map(
      assigned.rows.map((row) => [announcedKey(row.sender, row.wallet, row.amount), row.ids]),
    ),
    byReference: new Map(
      byReference.rows.map((row) => [row.payment_reference, { id: row.id, wallet: row.wallet }]),
    ),
    byAddress: Map.groupBy(byAddress.rows.map(toClaim), (claim) => claim.wallet),
    byPayable: new Map(
      here.map((row) => [payableKey(row.wallet, row.amount), toClaim(row)] as const),
    ),
    onSibling: new Set(there.map((row) => payableKey(row.wallet, row.amount))),
    announced: new Set(
      announced.rows.map((row) => announcedKey(row.payer, row.wallet, row.amount)),
    ),
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
