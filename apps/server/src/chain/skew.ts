import type { Header } from '../db/chains/blocks.ts'

/** How far a chain's clock is ahead of this machine's, as one provider's blocks showed it. Times in milliseconds. */
export type Skew = {
  readonly ms: number
  /** The block came between two looks. Any other may be from before a standstill of the chain. */
  readonly isFresh: boolean
  readonly measuredAt: number
  /** The least that was seen in the last minutes, as of a chain that catches up after a standstill. */
  readonly leastMs: number
  readonly leastAt: number
  /** The newest block, and when it was seen. */
  readonly head: bigint
  readonly seenAt: number
}

/** Two looks that are further apart do not show that a block is fresh. */
const freshMs = 60_000
/** Every block is a little old when it is seen: the largest of these last minutes is the best. */
const rememberedMs = 10 * 60_000
/** Blocks come every other second, and are asked for as often. */
const tolerableMs = 5_000

/** @param now Unix milliseconds by this machine's clock */
export function sample(before: Skew | null, { number, timestamp }: Header, now: number): Skew {
  const ms = timestamp * 1000 - now
  const isLeast = !before || ms <= before.leastMs || now - before.leastAt > rememberedMs
  const least = isLeast
    ? { leastMs: ms, leastAt: now }
    : { leastMs: before.leastMs, leastAt: before.leastAt }
  const seen = { head: number, seenAt: now, ...least }
  const isFresh = before !== null && number > before.head && now - before.seenAt <= freshMs
  const measured = { ms, isFresh, measuredAt: now, ...seen }
  if (!before) return measured
  if (isFresh) {
    const isBetter = !before.isFresh || ms >= before.ms || now - before.measuredAt > rememberedMs
    return isBetter ? measured : { ...before, ...seen }
  }
  return before.isFresh ? { ...before, ...seen } : measured
}

/**
 * A chain's time. One provider cannot move it alone: of several, the one that is nearest to this machine's clock
 * counts.
 *
 * @param now Unix milliseconds by this machine's clock
 */
export function chainTime(
  skews: readonly Skew[],
  now: number,
): { now: number; earliest: number; skewMs: number } {
  const [nearest] = skews.toSorted((a, b) => Math.abs(a.ms) - Math.abs(b.ms))
  if (!nearest) return { now, earliest: now, skewMs: 0 }
  // A block that is old may mean that the chain has halted. One from the future means that this clock is slow.
  const isTrue = nearest.isFresh || nearest.ms > 0
  const skewMs = isTrue && Math.abs(nearest.ms) > tolerableMs ? nearest.ms : 0
  const earliest = Math.min(now + skewMs, now + nearest.leastMs)
  return { now: now + skewMs, earliest, skewMs }
}
