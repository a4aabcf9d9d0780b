import { type Db, onlyRow, type Queryable } from '../connection/connect.ts'

/** The right to write a chain's facts. A takeover raises the epoch, so that earlier holders lose the right. */
export type Lease = { readonly chainId: number; readonly epoch: bigint }

export type Cursor = {
  /** Every block up to this one has been read; null before the first. */
  readonly scannedTo: bigint | null
  /** The timestamp of that block, in Unix seconds. */
  readonly scannedTimestamp: number
  /** Whether no poll has been recorded for a minute. */
  readonly isStale: boolean
  /** The last block that each later read of the same blocks has reached, by depth; null before the first. */
  readonly rereadTo: readonly bigint[] | null
  /** The blocks that an operator wants to have read again. */
  readonly rescan: { readonly next: bigint; readonly to: bigint } | null
}

export class LeaseLost extends Error {
  constructor(lease: Lease) {
    super(`Another process follows chain ${lease.chainId} now (epoch ${lease.epoch} is over).`)
  }
}

const leaseSeconds = 5
/** Nodes behind a load balancer lag behind each other by less than this. */
const staleSeconds = 60

/** Acquires the lease; null: another process holds it. */
export async function acquireLease(db: Db, chainId: number): Promise<Lease | null> {
  await db.pool.query('insert into chain_cursors (chain_id) values ($1) on conflict do nothing', [
    chainId,
  ])
  const { rows } = await db.pool.query<{ epoch: bigint }>(
    `update chain_cursors
     set epoch = epoch + 1, lease_until = now() + make_interval(secs => $2)
     where chain_id = $1 and lease_until < now()
     returning epoch`,
    [chainId, leaseSeconds],
  )
  return rows[0] ? { chainId, epoch: rows[0].epoch } : null
}

/** Renews the lease, and reads the cursor. @throws {LeaseLost} */
export async function renewLease(db: Queryable, lease: Lease): Promise<Cursor> {
  const result = await db.query<{
    scanned_to: bigint | null
    scanned_timestamp: bigint | null
    is_stale: boolean | null
    reread_to: string | null
    rescan: { next_block: number; to_block: number } | null
  }>({
    name: 'renew-lease',
    text: `
      update chain_cursors c set lease_until = now() + make_interval(secs => $3)
      where chain_id = $1 and epoch = $2
      returning scanned_to, scanned_timestamp,
        scanned_at < now() - interval '${staleSeconds} seconds' as is_stale,
        array_to_string(reread_to, ',') as reread_to,
        (select row_to_json(r) from chain_rescans r where r.chain_id = c.chain_id) as rescan`,
    values: [lease.chainId, lease.epoch, leaseSeconds],
  })
  if (result.rowCount === 0) throw new LeaseLost(lease)
  const row = onlyRow(result)
  return {
    scannedTo: row.scanned_to,
    scannedTimestamp: Number(row.scanned_timestamp ?? 0),
    isStale: row.is_stale ?? false,
    rereadTo: row.reread_to?.split(',').map(BigInt) ?? null,
    rescan: row.rescan && {
      next: BigInt(row.rescan.next_block),
      to: BigInt(row.rescan.to_block),
    },
  }
}

/**
 * Renews the lease. Does not wait while a poll is being recorded, which also renews it. If the lease was lost, the next
 * poll notices.
 */
export async function keepLease(db: Queryable, lease: Lease): Promise<void> {
  await db.query({
    name: 'keep-lease',
    text: `
      update chain_cursors set lease_until = now() + make_interval(secs => $3)
      where chain_id = (
        select chain_id from chain_cursors where chain_id = $1 and epoch = $2 for update skip locked
      )`,
    values: [lease.chainId, lease.epoch, leaseSeconds],
  })
}

/**
 * The lock that orders polls of a chain and merchants' actions on its transfers. It is advisory, since its waiters are
 * served in order: overlapping shared row locks can block an exclusive lock for ever.
 */
export const pollLock = 4_242_002

/**
 * Moves the cursor. It must be the first write of the transaction that records a poll: the row stays locked until the
 * transaction ends, so that no other epoch begins in between.
 * @throws {LeaseLost}
 */
export async function advanceCursor(
  db: Queryable,
  lease: Lease,
  scanned: {
    to: bigint
    timestamp: number
    head: bigint
    rereadTo: readonly bigint[] | null
    /** The number of transfers that earlier reads of their blocks did not return. */
    delayedTransfers: number
    /** Whether the chain counts as read now: its provider is not behind the cursor. */
    isFresh: boolean
  },
): Promise<void> {
  const result = await db.query({
    name: 'advance-cursor',
    text: `
      with locked as materialized (select pg_advisory_xact_lock(${pollLock}, $1))
      update chain_cursors set scanned_to = $3, scanned_timestamp = $4, head = $5,
        scanned_at = case when $9 then now() else scanned_at end,
        lease_until = now() + make_interval(secs => $6), delayed_transfers = delayed_transfers + $8,
        -- A branch that replaced blocks also has to be read again.
        reread_to = (
          select array_agg(least(reached, $3) order by depth)
          from unnest($7::bigint[]) with ordinality as later (reached, depth)
        )
      from locked where chain_id = $1 and epoch = $2`,
    values: [
      lease.chainId,
      lease.epoch,
      scanned.to,
      scanned.timestamp,
      scanned.head,
      leaseSeconds,
      scanned.rereadTo,
      scanned.delayedTransfers,
      scanned.isFresh,
    ],
  })
  if (result.rowCount === 0) throw new LeaseLost(lease)
}

/** Has blocks read again from the next poll on. Replaces an earlier request for the same chain. */
export async function requestRescan(
  db: Queryable,
  range: { chainId: number; from: bigint; to: bigint },
): Promise<void> {
  await db.query(
    `insert into chain_rescans (chain_id, next_block, to_block) values ($1, $2, $3)
     on conflict (chain_id) do update
       set next_block = excluded.next_block, to_block = excluded.to_block`,
    [range.chainId, range.from, range.to],
  )
}

/** Stores the progress or the end of a rescan. A rescan that was requested meanwhile stays. */
export async function advanceRescan(
  db: Queryable,
  chainId: number,
  range: { from: bigint; to: bigint },
): Promise<void> {
  await db.query({
    name: 'advance-rescan',
    text: `
      with finished as (
        delete from chain_rescans where chain_id = $1 and next_block = $2 and to_block <= $3
      )
      update chain_rescans set next_block = $3 + 1
      where chain_id = $1 and next_block = $2 and to_block > $3`,
    values: [chainId, range.from, range.to],
  })
}

/**
 * Orders this transaction before or after each transaction that records a poll of the chain: the removal of a transfer
 * depends on whose transfer it is.
 */
export async function lockOutPolls(db: Queryable, chainId: number): Promise<void> {
  await db.query({
    name: 'lock-out-polls',
    text: `select pg_advisory_xact_lock_shared(${pollLock}, $1::integer)`,
    values: [chainId],
  })
}

/** Lets another process take over at once. */
export async function releaseLease(db: Db, lease: Lease): Promise<void> {
  await db.pool.query(
    `update chain_cursors set lease_until = '-infinity' where chain_id = $1 and epoch = $2`,
    [lease.chainId, lease.epoch],
  )
}

/** How far the reading of a chain lags behind. `blocks` is null before the first read. */
export type Lag = {
  readonly chainId: number
  /** The time since the chain was last read or, if that is longer, since any provider returned a new block. */
  readonly seconds: number
  /** The time for which polls have seen no new block from any provider. */
  readonly standstillSeconds: number
  /** The same for each provider that responded in the last two minutes. */
  readonly providers: readonly { readonly host: string; readonly standstillSeconds: number }[]
  readonly blocks: number | null
  /** Transactions that no provider has returned for long. */
  readonly quarantined: number
}

/** Reads how far the reading of each watched chain lags behind. */
export async function readLags(db: Queryable): Promise<Lag[]> {
  const { rows } = await db.query<Lag>({
    name: 'read-lags',
    text: `
      select w.chain_id as "chainId",
        greatest(0, extract(epoch from now() - greatest(w.since, c.scanned_at)), h.standstill)::float8
          as seconds,
        coalesce(h.standstill, 0)::float8 as "standstillSeconds",
        coalesce(h.providers, '[]') as providers,
        (c.head - c.scanned_to)::float8 as blocks,
        (select count(*) from deferred_transactions d
          where d.chain_id = w.chain_id and d.quarantined_at is not null
            and d.dismissed_at is null)::float8 as quarantined
      from (select chain_id, min(since) as since from watched_topics group by chain_id) w
      left join chain_cursors c on c.chain_id = w.chain_id
      cross join lateral (
        select
          -- Null if no provider was read since somebody began to wait.
          case when max(seen_at) > w.since
            then extract(epoch from max(seen_at) - max(advanced_at)) end as standstill,
          json_agg(json_build_object(
            'host', provider, 'standstillSeconds', extract(epoch from seen_at - advanced_at)
          )) filter (where seen_at > greatest(w.since, now() - interval '2 minutes')) as providers
        from provider_heads where chain_id = w.chain_id
      ) h
      order by w.chain_id`,
  })
  return rows
}
