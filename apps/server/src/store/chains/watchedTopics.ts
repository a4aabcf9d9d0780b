import { chainFactsOf, chains } from '@payment-intents/contract'
import type { Hex } from 'viem'
import { onlyRow, type Queryable } from '../connection/connect.ts'

/**
 * SQL that watches topics: their transfers are read from the blocks of `since` on, until the chain's clock passes
 * `until`. A topic is a wallet that receives, or the nonce of an authorization. It is written at most once an hour, so
 * that creations do not queue for its row.
 * @param rows SQL of rows of chain_id, topic, since, until, with each topic of a chain once; they are written in order
 */
export function watchingOf(rows: string): string {
  return `
    insert into watched_topics (chain_id, topic, since, until)
    select chain_id, topic, since, until + interval '1 hour' from (${rows}) as input
    where not ${isWatchedUntil('input.chain_id', 'input.topic', 'input.until')}
    on conflict (chain_id, topic) do update set until = greatest(watched_topics.until, excluded.until)`
}

/**
 * SQL that tells whether a topic is watched at least until a time. It is scalar, since `exists` would become a join by
 * the index of all topics that are watched as long.
 */
export function isWatchedUntil(chainId: string, topic: string, until: string): string {
  return `coalesce((
    select w.until >= ${until} from watched_topics w where w.chain_id = ${chainId} and w.topic = ${topic}
  ), false)`
}

/** @param watch `since` is in Unix milliseconds, `until` in Unix seconds */
export async function watchTopic(
  db: Queryable,
  watch: { chainId: number; topic: Hex; since: number; until: number },
): Promise<void> {
  await db.query({
    name: 'watch-topic',
    text: watchingOf(
      `select $1::integer as chain_id, $2 as topic, $3::timestamptz as since, to_timestamp($4) as until`,
    ),
    values: [watch.chainId, watch.topic, new Date(watch.since), watch.until],
  })
}

/** The list of topics whose transfers are read. */
export type Watch = {
  /**
   * Addresses of wallets, and nonces of authorizations. Those of the mode's other chain belong to it, since payers
   * mistake one chain for the other. Some may no longer be watched.
   */
  readonly topics: ReadonlySet<Hex>
  /** Whether a topic is a nonce. Then a refund waits for its transfer. */
  readonly hasNonces: boolean
  /** The least `since` of this chain's topics, in Unix seconds. */
  readonly since: number
  /** The list holds every topic of this version and of all earlier versions. */
  readonly version: bigint
  /** The number of times that the list was extended since it was read as a whole. */
  readonly completed: number
}

/** After this many extensions a list is read as a whole, so that stale topics are dropped. */
const maxCompleted = 1_000

/**
 * Adds the new topics to a list. The cost does not grow with the list.
 *
 * Transactions commit in another order than they began, so a row gets its version after its commit: a poll assigns the
 * next version to the rows without one. That version is greater than every version in the snapshot in which the rows
 * were found. So a reader of this version, or of a greater version, has a later snapshot, which has these rows.
 * @param current the previous list
 * @returns null: nobody waits on this chain
 */
export async function readWatch(
  db: Queryable,
  chainId: number,
  current: Watch | null,
): Promise<Watch | null> {
  const before = current && current.completed < maxCompleted ? current : null
  // Read a text: the driver would parse an array character by character.
  const { rows } = await db.query<{
    since: Date | null
    version: bigint
    topics: string | null
    unversioned: boolean | null
  }>({
    name: before ? 'complete-watch' : 'read-watch',
    text: `
      select (select min(since) from watched_topics where chain_id = $1) as since,
        coalesce((select version from watched_topics_counter), 0) as version, added.*
      from (
        select string_agg(distinct topic, ',') as topics, bool_or(version is null) as unversioned
        from watched_topics
        where chain_id = any($2)${before ? ' and (version > $3 or version is null)' : ''}
      ) as added`,
    values: [chainId, chainsOfMode(chainId), ...(before ? [before.version] : [])],
  })
  const { since, version, topics, unversioned } = onlyRow({ rows })
  if (unversioned) await giveVersion(db)
  if (!since) return null
  const added = (topics?.split(',') ?? []) as Hex[]
  return {
    version,
    since: Math.floor(since.getTime() / 1000),
    // Keep the same set while nothing is added, so that callers can cache values derived from it.
    topics:
      before && added.every((topic) => before.topics.has(topic))
        ? before.topics
        : new Set([...(before?.topics ?? []), ...added]),
    hasNonces: (before?.hasNonces ?? false) || added.some(isNonce),
    completed: before ? before.completed + 1 : 0,
  }
}

/** An address has 20 bytes. */
function isNonce(topic: Hex): boolean {
  return topic.length === 2 + 64
}

/** Assigns the next version. Rows that another poll or a creation has locked are left to the next poll. */
async function giveVersion(db: Queryable): Promise<void> {
  await db.query({
    name: 'give-watch-version',
    text: `
      with committed as (
        select chain_id, topic from watched_topics where version is null for update skip locked
      ), next as (
        insert into watched_topics_counter as counter (version)
        select 1 where exists (select from committed)
        on conflict (only_row) do update set version = counter.version + 1
        returning version
      )
      update watched_topics w set version = next.version
      from committed c, next where w.chain_id = c.chain_id and w.topic = c.topic`,
  })
}

export async function isWatchedTopic(db: Queryable, chainId: number, topic: Hex): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'is-watched-topic',
    text: 'select from watched_topics where chain_id = $1 and topic = $2',
    values: [chainId, topic],
  })
  return rowCount === 1
}

export async function isWatched(db: Queryable, chainId: number): Promise<boolean> {
  const { rows } = await db.query<{ watched: boolean }>({
    name: 'is-watched',
    text: 'select exists (select from watched_topics where chain_id = $1) as watched',
    values: [chainId],
  })
  return onlyRow({ rows }).watched
}

function chainsOfMode(chainId: number): number[] {
  const { mode } = chainFactsOf(chainId)
  return chains.filter((facts) => facts.mode === mode).map((facts) => facts.chainId)
}
