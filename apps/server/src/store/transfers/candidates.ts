import { type Address, chainFactsOf, chains, limits, windows } from '@payment-intents/contract'
import {
  authorizationKey,
  type BoundBy,
  type CandidateIntent,
  type Candidates,
  type ObservedTransaction,
  type PricedIntent,
  payableKey,
  transferKey,
} from '@payment-intents/core'
import type { Hex } from 'viem'
import { onlyRow, type Queryable } from '../connection/connect.ts'

/**
 * Finds every intent that the transfers of each transaction may pay, in the order of the transactions. A single
 * statement reads the candidates of all transactions.
 */
export async function findCandidates(
  db: Queryable,
  chainId: number,
  transactions: readonly ObservedTransaction[],
): Promise<Candidates[]> {
  if (transactions.length === 0) return []
  const { mode } = chainFactsOf(chainId)
  const chainIds = chains.filter((facts) => facts.mode === mode).map((facts) => facts.chainId)
  const candidates = onlyRow(
    await db.query<CandidateRows>({
      name: 'find-candidates',
      text: statement,
      values: [
        chainId,
        chainIds,
        JSON.stringify(transactions.map(toTransactionRow)),
        JSON.stringify(transactions.flatMap(toSentRows)),
        transactions.flatMap(referencesOf),
        JSON.stringify(transactions.flatMap(toAuthorizedRows)),
      ],
    }),
  )
  const byAuthorization = Map.groupBy(candidates.by_authorization, ({ n }) => n)
  const earlierMatches = Map.groupBy(candidates.earlier_matches, ({ n }) => n)
  const byAddress = Map.groupBy(candidates.by_address, ({ n }) => n)
  const byPayable = Map.groupBy(candidates.by_payable, ({ n }) => n)
  const byPrice = Map.groupBy(candidates.by_price, ({ n }) => n)
  const byReference = new Map(
    candidates.by_reference.map((row) => [
      row.payment_reference,
      { id: row.id, wallet: row.wallet },
    ]),
  )
  return transactions.map((_, n): Candidates => {
    const decidedBy = (by: BoundBy) =>
      new Map(
        (earlierMatches.get(n) ?? [])
          .filter((row) => row.bound_by === by)
          .map((row) => [transferKey(row.sender, row.wallet, BigInt(row.amount)), row.ids]),
      )
    const payable = byPayable.get(n) ?? []
    return {
      assigned: decidedBy('assignment'),
      pricedBefore: decidedBy('price'),
      byReference,
      byAuthorization: new Map(
        (byAuthorization.get(n) ?? []).map(({ authorizer, nonce, id, wallet }) => [
          authorizationKey(authorizer, nonce),
          { id, wallet },
        ]),
      ),
      byAddress: Map.groupBy(
        (byAddress.get(n) ?? []).map(toCandidateIntent),
        ({ wallet }) => wallet,
      ),
      byPayable: new Map(
        payable
          .filter((row) => row.chain_id === chainId)
          .map((row) => [keyOf(row), toCandidateIntent(row)] as const),
      ),
      byPrice: Map.groupBy(
        (byPrice.get(n) ?? []).map((row) => ({ ...toPricedIntent(row), key: keyOf(row) })),
        ({ key }) => key,
      ),
      onOtherChain: new Set(payable.filter((row) => row.chain_id !== chainId).map(keyOf)),
    }
  })
}

/** The references in a transaction's calldata and authorizations. */
function referencesOf({ calls, transfers }: ObservedTransaction): Hex[] {
  return [
    ...calls.map(({ reference }) => reference),
    ...transfers.flatMap(({ authorizationNonce }) => authorizationNonce ?? []),
  ]
}

function toTransactionRow({ txHash, blockNumber, timestamp }: ObservedTransaction, n: number) {
  return { n, hash: txHash, block: String(blockNumber), at: timestamp }
}

/**
 * Each pair of a wallet and a sent amount, once. An amount above 2^53 − 1 is null, since no intent has such an amount.
 */
function toSentRows({ transfers }: ObservedTransaction, n: number) {
  const byKey = new Map(transfers.map(({ to, amount }) => [payableKey(to, amount), { to, amount }]))
  return [...byKey.values()].map(({ to, amount }) => ({
    n,
    wallet: to,
    amount: amount <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(amount) : null,
  }))
}

function toAuthorizedRows({ transfers }: ObservedTransaction, n: number) {
  return transfers.flatMap(({ from: authorizer, authorizationNonce: nonce }) =>
    nonce ? [{ n, authorizer, nonce }] : [],
  )
}

type CandidateRows = {
  earlier_matches: {
    n: number
    bound_by: BoundBy
    sender: Address
    wallet: Address
    amount: string
    ids: string[]
  }[]
  by_reference: { payment_reference: Hex; id: string; wallet: Address }[]
  by_authorization: { n: number; authorizer: Address; nonce: Hex; id: string; wallet: Address }[]
  by_address: CandidateRow[]
  by_payable: (CandidateRow & { chain_id: number; amount: number })[]
  by_price: PriceRow[]
}

/** SQL that tells whether the intent of the reservation `r` existed before the transaction `tx`, as in `bind`. */
export const existedBefore = `
  coalesce(r.since_block <= tx.block, date_trunc('second', r.since) <= tx.at)
  and (tx.seen_at < r.made_at) is not true`

const candidate = `
  tx.n, r.intent_id as id, r.since_block, floor(extract(epoch from r.since))::bigint as since,
  coalesce(tx.seen_at < r.made_at, false) as is_newer`

// Lateral subqueries with `offset 0` make each row probe an index, with any statistics.
const statement = `
  with tx as materialized (
    select n, hash, block, to_timestamp(at) as at,
      (select min(seen_at) from transfers where chain_id = $1 and tx_hash = hash) as seen_at
    from json_to_recordset($3) as input (n integer, hash text, block bigint, at bigint)
  ), sent_amounts as materialized (
    select n, wallet, amount
    from json_to_recordset($4) as input (n integer, wallet text, amount bigint)
  ), earlier_matches as (
    -- After a reorg a transaction is stored in several blocks. For equal transfers, the block with the most matches counts.
    select distinct on (n, bound_by, sender, wallet, amount_units) n, bound_by,
      sender, wallet, amount_units::text as amount, array_agg(intent_id order by log_index) as ids
    from tx cross join lateral (
      select * from transfers
      where chain_id = $1 and tx_hash = tx.hash and bound_by in ('assignment', 'price') offset 0
    ) t
    group by n, block_hash, bound_by, sender, wallet, amount_units
    order by n, bound_by, sender, wallet, amount_units, count(*) desc
  ), by_reference as (
    select payment_reference, id, expected_wallet as wallet from payment_intents
    where chain_id = $1 and payment_reference = any($5)
  ), by_authorization as (
    select g.n, g.authorizer, g.nonce, a.intent_id as id, a.recipient as wallet
    from json_to_recordset($6) as g (n integer, authorizer text, nonce text) join tx using (n)
    cross join lateral (
      select * from authorizations
      where chain_id = $1 and authorizer = g.authorizer and nonce = g.nonce
        and intent_id is not null
      offset 0
    ) a
    -- An authorization that was on the chain before its payer submitted it here does not pay the intent.
    where not exists (
      select from transfers t
      where t.chain_id = $1 and t.sender = g.authorizer and t.authorization_nonce = g.nonce
        and t.seen_at < a.created_at
    )
  ), by_address as (
    select r.wallet, ${candidate}
    from (select distinct n, wallet from sent_amounts) wallets join tx using (n)
    cross join lateral (
      select * from (
        select wallet, intent_id, since_block, since, made_at from payable_reservations
        where chain_id = $1 and wallet = wallets.wallet and until >= tx.at
        union all
        -- A reference-only intent also uses the wallet, but reserves no amount.
        select expected_wallet, id, null, created_at - interval '2 seconds', null
        from payment_intents
        where chain_id = $1 and expected_wallet = wallets.wallet and reference_only
          and created_at >= tx.at - interval '${windows.late + 60 * limits.expiresInMinutes.max} seconds'
          and expires_at >= tx.at - interval '${windows.late} seconds'
      ) r
      where ${existedBefore}
      -- Two rows suffice to know that several intents use the wallet.
      limit 2
    ) r
    where not exists (select from merchant_wallets m where m.address = wallets.wallet)
  ), by_payable as (
    select r.chain_id, r.wallet, r.payable_amount_units as amount, ${candidate}
    from sent_amounts sent join tx using (n)
    cross join lateral (
      select * from payable_reservations
      where chain_id = any($2) and wallet = sent.wallet and payable_amount_units = sent.amount
        and until >= tx.at
      offset 0
    ) r
  ), by_price as (
    select sent.wallet, sent.amount, r.match_plain_price, r.is_unpaid, r.expires_at, ${candidate}
    from sent_amounts sent join tx using (n)
    cross join lateral (
      select p.id as intent_id, v.since_block, v.made_at,
        coalesce(v.since, p.created_at - interval '2 seconds') as since,
        exists (
          select from merchant_wallets w
          where w.address = p.expected_wallet and w.merchant_id = p.merchant_id and w.mode = p.mode
            and w.chain = p.chain and w.match_plain_price
        ) as match_plain_price,
        p.status = 'requires_payment' and p.amount_received_units = 0 as is_unpaid,
        extract(epoch from p.expires_at)::bigint as expires_at
      from payment_intents p
      left join payable_reservations v on v.chain_id = p.chain_id and v.wallet = p.expected_wallet
        and v.payable_amount_units = p.payable_amount_units and v.intent_id = p.id
      where p.chain_id = $1 and p.expected_wallet = sent.wallet
        -- If most intents have the same price, PostgreSQL expects to find it soon in any index. Only one index has this
        -- order, so it uses that.
        and p.amount_units between sent.amount and sent.amount
        and p.created_at >= tx.at - interval '${windows.price} seconds'
      -- Two rows suffice to know that the price is ambiguous.
      order by p.amount_units, p.created_at limit 2
    ) r
  )
  select
    (select coalesce(json_agg(row), '[]') from earlier_matches row) as earlier_matches,
    (select coalesce(json_agg(row), '[]') from by_reference row) as by_reference,
    (select coalesce(json_agg(row), '[]') from by_authorization row) as by_authorization,
    (select coalesce(json_agg(row), '[]') from by_address row) as by_address,
    (select coalesce(json_agg(row), '[]') from by_payable row) as by_payable,
    (select coalesce(json_agg(row), '[]') from by_price row) as by_price`

type CandidateRow = {
  /** The index of the transaction. */
  n: number
  wallet: Address
  id: string
  since_block: number | null
  /** Unix seconds. */
  since: number | null
  is_newer: boolean
}

function keyOf(row: { wallet: Address; amount: number }): string {
  return payableKey(row.wallet, BigInt(row.amount))
}

function toCandidateIntent(row: CandidateRow): CandidateIntent & { wallet: Address } {
  const { id, wallet, since_block: number, is_newer: isNewer } = row
  const since =
    number === null
      ? { type: 'time' as const, timestamp: row.since ?? 0 }
      : { type: 'block' as const, number: BigInt(number) }
  return { id, wallet, since, isNewer }
}

/** `amount` is the price of the intent. */
type PriceRow = CandidateRow & {
  amount: number
  match_plain_price: boolean
  is_unpaid: boolean
  expires_at: number
}

function toPricedIntent(row: PriceRow): PricedIntent {
  const { match_plain_price: matchPlainPrice, is_unpaid: isUnpaid, expires_at: expiresAt } = row
  return { ...toCandidateIntent(row), matchPlainPrice, isUnpaid, expiresAt }
}
