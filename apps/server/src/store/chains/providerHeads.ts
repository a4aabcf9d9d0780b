import type { Queryable } from '../connection/connect.ts'
import type { Lease } from './cursors.ts'

/** Both chains have a block every two seconds, and an idle development chain every 15: a longer gap is a standstill. */
export const standstillSeconds = 30

/** The last known head of a provider, for the next follower of the chain. */
export type ProviderHead = {
  /** Host and port. */
  readonly provider: string
  readonly head: bigint
  /** The lead in blocks that the best other provider claimed right after the head last rose; null: unknown. */
  readonly lead: bigint | null
  /** The time for which the head had stood still when it was last read. */
  readonly standstillMs: number
  /** The time since the head was last read. */
  readonly unseenMs: number
}

export async function findProviderHeads(db: Queryable, chainId: number): Promise<ProviderHead[]> {
  const { rows } = await db.query<ProviderHead>({
    name: 'find-provider-heads',
    text: `
      select provider, head, lead,
        (extract(epoch from seen_at - advanced_at) * 1000)::float8 as "standstillMs",
        (extract(epoch from now() - seen_at) * 1000)::float8 as "unseenMs"
      from provider_heads where chain_id = $1`,
    values: [chainId],
  })
  return rows
}

/** Stores the heads, unless the lease was lost. */
export async function storeProviderHeads(
  db: Queryable,
  { chainId, epoch }: Lease,
  heads: readonly ProviderHead[],
): Promise<void> {
  await db.query({
    name: 'store-provider-heads',
    text: `
      insert into provider_heads as h (chain_id, provider, head, lead, advanced_at, seen_at)
      select $1, provider, head, lead,
        now() - make_interval(secs => (standstill_ms + unseen_ms) / 1000),
        now() - make_interval(secs => unseen_ms / 1000)
      from unnest($3::text[], $4::bigint[], $5::bigint[], $6::float8[], $7::float8[])
        as input (provider, head, lead, standstill_ms, unseen_ms)
      where exists (select from chain_cursors where chain_id = $1 and epoch = $2)
      on conflict (chain_id, provider) do update
        set head = excluded.head, lead = excluded.lead, advanced_at = excluded.advanced_at,
          seen_at = excluded.seen_at`,
    values: [
      chainId,
      epoch,
      heads.map(({ provider }) => provider),
      heads.map(({ head }) => head),
      heads.map(({ lead }) => lead),
      heads.map(({ standstillMs }) => standstillMs),
      heads.map(({ unseenMs }) => unseenMs),
    ],
  })
}
