import type { Hex } from 'viem'
import type { Outstanding } from '../../store/relaying/transactions.ts'
import type { Waiting } from '../../store/relaying/waitingAuthorizations.ts'
import { groupByNonce } from './nonceGroups.ts'

/** The state of a chain's submissions. */
export type Load = {
  /** Authorizations that wait for their first broadcast or whose transaction is pending. */
  readonly inFlight: number
  /** When the oldest of them was stored, or the first transaction of its nonce recorded: Unix milliseconds. */
  readonly oldestAt: number | null
  /** Authorizations that were recorded before and are not on the chain, or that a cycle has backed off from. */
  readonly retrying: number
  /** Nonces that have several transactions, of which none is mined. */
  readonly pendingReplacements: number
}

export const noLoad: Load = { inFlight: 0, oldestAt: null, retrying: 0, pendingReplacements: 0 }

/** The relayer's memory between two cycles. After a restart it is empty, and everything is sent again. */
export type Memory = {
  /** The chain's clock, Unix seconds. */
  timestamp: number
  /** The number of the newest block when a transaction was last sent, by its hash. */
  readonly sent: Map<Hex, bigint>
  /** Transactions whose fees were too low for a node. */
  readonly underpriced: Set<Hex>
  /**
   * The first transaction of each nonce that was used and had no receipt. A node may know a block before its receipts,
   * so only the second time counts.
   */
  readonly usedWithoutReceipt: Set<Hex>
  /** When an authorization may be retried, by its id. */
  readonly backoffUntil: Map<string, Backoff>
  /** Merchants that have reached their daily limit. */
  readonly exhausted: Set<string>
  /** The node's last refusal, so that a repeated one is logged once. */
  loggedRefusal: string | null
  /** The load of the previous cycle. */
  load: Load
}

export function newMemory(): Memory {
  return {
    timestamp: 0,
    sent: new Map(),
    underpriced: new Set(),
    usedWithoutReceipt: new Set(),
    backoffUntil: new Map(),
    exhausted: new Set(),
    loggedRefusal: null,
    load: noLoad,
  }
}

export function loadOf(
  outstanding: readonly Outstanding[],
  waiting: { unsubmitted: readonly Waiting[]; retrying: number },
): Load {
  const pending = groupByNonce(outstanding.filter(({ state }) => state === 'pending'))
  const carried = pending.filter(({ transactions }) => transactions[0].authorization)
  const since = [
    ...waiting.unsubmitted.map(({ createdAt }) => createdAt.getTime()),
    ...carried.map(({ transactions }) => transactions[0].createdAt.getTime()),
  ]
  return {
    inFlight: since.length,
    oldestAt: since.length > 0 ? Math.min(...since) : null,
    retrying: waiting.retrying,
    pendingReplacements: pending.filter(({ transactions }) => transactions.length > 1).length,
  }
}

/** `until`: milliseconds of a clock that only goes forward. */
type Backoff = { readonly until: number; readonly ms: number }

const shortestBackoffMs = 5_000
const longestBackoffMs = 5 * 60_000

/** Backs off from an authorization. If it was recorded before, each backoff is twice as long as the last. */
export function backOff(
  { backoffUntil }: Pick<Memory, 'backoffUntil'>,
  { id, wasRecorded }: Pick<Waiting, 'id' | 'wasRecorded'>,
  shortestMs = shortestBackoffMs,
): void {
  const before = wasRecorded ? (backoffUntil.get(id)?.ms ?? 0) : 0
  const ms = Math.min(longestBackoffMs, Math.max(shortestMs, 2 * before))
  backoffUntil.set(id, { until: performance.now() + ms, ms })
}

/** Ids of the authorizations whose backoff is not over. Forgets a backoff after twice its length. */
export function backedOffIds({ backoffUntil }: Pick<Memory, 'backoffUntil'>): string[] {
  const now = performance.now()
  for (const [id, { until, ms }] of backoffUntil) if (until + ms <= now) backoffUntil.delete(id)
  return [...backoffUntil].flatMap(([id, { until }]) => (until > now ? [id] : []))
}
