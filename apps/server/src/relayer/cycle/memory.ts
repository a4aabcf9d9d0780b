import type { Hex } from 'viem'
import type { Outstanding } from '../../store/relaying/transactions.ts'
import type { Waiting } from '../../store/relaying/waiting.ts'
import { groupByNonce } from './nonceGroups.ts'

/** The state of a chain's submissions. */
export type Load = {
  /** Authorizations that wait for their first broadcast, or in a transaction that is not mined. */
  readonly inFlight: number
  /** When the oldest of them was submitted, Unix milliseconds by the database's clock. */
  readonly oldestAt: number | null
  /** Authorizations that failed, and are looked at less often. */
  readonly quarantined: number
  /** Transactions that were replaced by one with higher fees, and are not mined. */
  readonly stuck: number
}

export const noLoad: Load = { inFlight: 0, oldestAt: null, quarantined: 0, stuck: 0 }

/** The relayer's memory between two cycles. Without it, after a crash, everything is sent once more. */
export type Memory = {
  /** The chain's clock, Unix seconds. */
  timestamp: number
  /** The newest block when a transaction was sent last. */
  readonly sent: Map<Hex, bigint>
  /** Transactions that no node took for their fees. */
  readonly underpriced: Set<Hex>
  /** Transactions whose nonce was used when no receipt was there. A node may know its blocks before their receipts. */
  readonly missing: Set<Hex>
  /** Authorizations that are deferred, by id. */
  readonly backoffUntil: Map<string, Backoff>
  /** Merchants whose limit is reached. */
  readonly exhausted: Set<string>
  /** The refusal that was logged last. */
  refusal: string | null
  /** As the last cycle found it. */
  load: Load
}

export function newMemory(): Memory {
  return {
    timestamp: 0,
    sent: new Map(),
    underpriced: new Set(),
    missing: new Set(),
    backoffUntil: new Map(),
    exhausted: new Set(),
    refusal: null,
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
    stuck: pending.filter(({ transactions }) => transactions.length > 1).length,
  }
}

/** Milliseconds of a clock that only goes forward. */
type Backoff = { readonly until: number; readonly ms: number }

const shortestBackoffMs = 5_000
const longestBackoffMs = 5 * 60_000

/** Leaves an authorization alone for a while; one that was broadcast before, for twice as long each time. */
export function defer(
  { backoffUntil }: Pick<Memory, 'backoffUntil'>,
  { id, wasBroadcast }: Pick<Waiting, 'id' | 'wasBroadcast'>,
  shortestMs = shortestBackoffMs,
): void {
  const before = wasBroadcast ? (backoffUntil.get(id)?.ms ?? 0) : 0
  const ms = Math.min(longestBackoffMs, Math.max(shortestMs, 2 * before))
  backoffUntil.set(id, { until: performance.now() + ms, ms })
}

/** Authorizations that are deferred now. Forgets a backoff once it is over for as long again. */
export function deferredIds({ backoffUntil }: Pick<Memory, 'backoffUntil'>): string[] {
  const now = performance.now()
  for (const [id, { until, ms }] of backoffUntil) if (until + ms <= now) backoffUntil.delete(id)
  return [...backoffUntil].flatMap(([id, { until }]) => (until > now ? [id] : []))
}
