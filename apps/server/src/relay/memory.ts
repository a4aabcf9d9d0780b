import type { Hex } from 'viem'
import type { Outstanding } from '../db/relay/transactions.ts'
import type { Waiting } from '../db/relay/waiting.ts'
import { slotsOf } from './settle.ts'

/** What is under way on a chain. */
export type Load = {
  /** Authorizations that wait, alone or in a transaction that is not mined. */
  readonly inFlight: number
  /** When the oldest of them was handed in, Unix milliseconds by the database's clock. */
  readonly oldestAt: number | null
  /** Transactions that were replaced by one with higher fees, and are not mined. */
  readonly stuck: number
}

export const noLoad: Load = { inFlight: 0, oldestAt: null, stuck: 0 }

/** What the process that submits remembers between two passes. Without it, after a crash, everything is sent once more. */
export type Memory = {
  /** The chain's clock, Unix seconds. */
  timestamp: number
  /** The newest block when a transaction was sent last. */
  readonly sent: Map<Hex, bigint>
  /** Transactions whose fees a node refused. */
  readonly underpriced: Set<Hex>
  /** Transactions whose nonce was used when no receipt was there. A node may know its blocks before their receipts. */
  readonly missing: Set<Hex>
  /**
   * Authorizations for which nothing could be done, and until when they are left alone, in milliseconds of a clock that only
   * goes on: others must not wait behind them.
   */
  readonly left: Map<string, number>
  /** Merchants whose limit is reached. */
  readonly exhausted: Set<string>
  /** The refusal that was logged last. */
  refusal: string | null
  /** As the last pass found it. */
  load: Load
}

export function newMemory(): Memory {
  return {
    timestamp: 0,
    sent: new Map(),
    underpriced: new Set(),
    missing: new Set(),
    left: new Map(),
    exhausted: new Set(),
    refusal: null,
    load: noLoad,
  }
}

export function loadOf(outstanding: readonly Outstanding[], waiting: readonly Waiting[]): Load {
  const pending = slotsOf(outstanding.filter(({ state }) => state === 'pending'))
  const carried = pending.filter(({ transactions }) => transactions[0].authorization)
  const since = [
    ...waiting.map(({ createdAt }) => createdAt.getTime()),
    ...carried.map(({ transactions }) => transactions[0].createdAt.getTime()),
  ]
  return {
    inFlight: since.length,
    oldestAt: since.length > 0 ? Math.min(...since) : null,
    stuck: pending.filter(({ transactions }) => transactions.length > 1).length,
  }
}
