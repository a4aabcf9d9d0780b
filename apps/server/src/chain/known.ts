import type { Header } from '../db/chains/blocks.ts'
import type { Watch } from '../db/chains/watchedWallets.ts'
import type { Window } from './reconcile.ts'
import { type Aside, createAside } from './setAside.ts'

/** What the lease's holder knows from its readings, so that it need not be read again. */
export type Known = {
  /** Canonical headers. */
  readonly window: Window
  readonly watch: Watch | null
  /** How far the last reading read that went back all the way; null before the first. */
  readonly deepTo: bigint | null
  /** The lower head of the last reading that asked for it; null before. */
  readonly depthFrom: bigint | null
  /** What no reading waits for any more. One object, which the readings of a lease share. */
  readonly aside: Aside
  /** The minute of the chain's clock in which rows that have run out were deleted last. */
  readonly cleanedAt: number | null
}

export function knownAtStart(headers: readonly Header[], aside: Aside = createAside([])): Known {
  const window = new Map(headers.map((header) => [header.number, header]))
  return { window, watch: null, deepTo: null, depthFrom: null, aside, cleanedAt: null }
}

/** The minute of a time in Unix seconds. */
export function minuteOf({ timestamp }: { timestamp: number }): number {
  return Math.floor(timestamp / 60)
}
