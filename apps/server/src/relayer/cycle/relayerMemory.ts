import type { Hex } from 'viem'
import type { Outstanding } from '../../store/relaying/transactions.ts'
import type { Waiting } from '../../store/relaying/waitingAuthorizations.ts'
import { groupByNonce } from './nonceGroups.ts'

/** The state of a chain's submissions. */
export type Load = {
  /** Authorizations that wait for their first broadcast, or in a transaction that is not mined. */
  readonly inFlight: number
  /** When the oldest of them was stored, or its current nonce first used. Unix milliseconds by the database's clock. */
  readonly oldestAt: number | null
  /** Authorizations that failed, and are retried less often. */
  readonly quarantined: number
  /** Transactions that were replaced by a transaction with higher fees, and are not mined. */
  readonly pendingReplacements: number
}

export const noLoad: Load = { inFlight: 0, oldestAt: null, quarantined: 0, pendingReplacements: 0 }

/** The relayer's memory between two cycles. Without it, after a crash, everything is sent again. */
export type Memory = {
  /** The chain's clock, Unix seconds. */
  timestamp: number
  /** The head when a transaction was last sent, by hash. */
  readonly sent: Map<Hex, bigint>
  /** Transactions whose fees were too low for a node. */
  readonly underpriced: Set<Hex>
  /** Transactions whose nonce was used but that had no receipt. A node may know a block before its receipts, so only the second time counts. */
  readonly usedWithoutReceipt: Set<Hex>
  /** When an authorization may be retried, by its id. */
  readonly backoffUntil: Map<string, Backoff>
  /** Merchants whose limit is reached. */
  readonly exhausted: Set<string>
  /** The refusal that was last logged. */
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
  waiting: { unsubmitted: readonly Waiting[]; quarantined: number },
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
    quarantined: waiting.quarantined,
    pendingReplacements: pending.filter(({ transactions }) => transactions.length > 1).length,
  }
}

/** Milliseconds of a clock that only goes forward. */
type Backoff = { readonly until: number; readonly ms: number }

const shortestBackoffMs = 5_000
const longestBackoffMs = 5 * 60_000

/** Backs off from an authorization; if it was recorded before, for twice as long each time. */
export function backOff(
  { backoffUntil }: Pick<Memory, 'backoffUntil'>,
  { id, wasRecorded }: Pick<Waiting, 'id' | 'wasRecorded'>,
  shortestMs = shortestBackoffMs,
): void {
  const before = wasRecorded ? (backoffUntil.get(id)?.ms ?? 0) : 0
  const ms = Math.min(longestBackoffMs, Math.max(shortestMs, 2 * before))
  backoffUntil.set(id, { until: performance.now() + ms, ms })
}

/** Authorizations whose backoff is not over. Forgets a backoff after twice its length. */
export function backedOffIds({ backoffUntil }: Pick<Memory, 'backoffUntil'>): string[] {
  const now = performance.now()
  for (const [id, { until, ms }] of backoffUntil) if (until + ms <= now) backoffUntil.delete(id)
  return [...backoffUntil].flatMap(([id, { until }]) => (until > now ? [id] : []))
}
