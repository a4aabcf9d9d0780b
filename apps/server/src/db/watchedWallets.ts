import { type Address, chainFactsOf, chains } from '@payment-intents/contract'
import type { Queryable } from './connect.ts'

/**
 * Has a wallet's incoming transfers read until the chain's clock passes `until`.
 * Writes at most once an hour for one wallet, so that creations do not queue for its row.
 *
 * @param watch `since` in Unix milliseconds, `until` in Unix seconds
 */
export async function watchWallet(
  db: Queryable,
  watch: { chainId: number; wallet: Address; since: number; until: number },
): Promise<void> {
  await db.query({
    name: 'watch-wallet',
    text: `
      insert into watched_wallets (chain_id, wallet, since, until)
      select $1, $2, $3, to_timestamp($4) + interval '1 hour'
      where not exists (
        select 1 from watched_wallets
        where chain_id = $1 and wallet = $2 and until >= to_timestamp($4)
      )
      on conflict (chain_id, wallet) do update set until = greatest(watched_wallets.until, excluded.until)`,
    values: [watch.chainId, watch.wallet, new Date(watch.since), watch.until],
  })
}

/**
 * The wallets to read, and since when the oldest of them matters (Unix seconds); null when nobody waits on this
 * chain. The other chain's wallets are among them: payers mistake one chain for the other.
 */
export async function findWatch(
  db: Queryable,
  chainId: number,
): Promise<{ wallets: Address[]; since: number } | null> {
  // One text rather than an array, which the driver takes apart character by character, at every reading.
  const { rows } = await db.query<{ wallets: string; since: Date }>({
    name: 'find-watch',
    text: `
      select (select string_agg(wallet, ',') from (
          select distinct wallet from watched_wallets where chain_id = any($2)
        ) as watched) as wallets, min(since) as since
      from watched_wallets where chain_id = $1 having count(*) > 0`,
    values: [chainId, chainsOfMode(chainId)],
  })
  const [row] = rows
  if (!row) return null
  const wallets = row.wallets.split(',') as Address[]
  return { wallets, since: Math.floor(row.since.getTime() / 1000) }
}

/** Stops reading wallets whose last late window the chain's clock has passed, and that no payment is settling at. */
export async function forgetWallets(
  db: Queryable,
  chain: { chainId: number; timestamp: number },
): Promise<void> {
  await db.query({
    name: 'forget-wallets',
    text: `
      delete from watched_wallets w
      where w.chain_id = $1 and w.until < to_timestamp($2)
        and not exists (
          select 1 from payment_intents p
          where p.chain_id = $1 and p.expected_wallet = w.wallet
            and (p.status = 'pending_confirmations'
              or p.status = 'succeeded' and 'reorged' = any (p.exceptions))
        )`,
    values: [chain.chainId, chain.timestamp],
  })
}

function chainsOfMode(chainId: number): number[] {
  const { mode } = chainFactsOf(chainId)
  return chains.filter((facts) => facts.mode === mode).map((facts) => facts.chainId)
}
