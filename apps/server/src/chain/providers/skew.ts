import type { Header } from '../../store/chains/blocks.ts'
import { type ObservedClock, tolerableMs } from '../../store/clocks/timeOfChains.ts'

/** How far a chain's clock is ahead of this process's, as one provider's blocks showed it. Times in milliseconds. */
export type Skew = {
  readonly ms: number
  /** The block came between two looks. Any other may be from before a standstill of the chain. */
  readonly isRecent: boolean
  readonly measuredAt: number
  /** The least that was seen in the last minutes, as of a chain that catches up after a standstill. */
  readonly minimumMs: number
  readonly minimumAt: number
  /** The newest block, and when it was seen. */
  readonly head: bigint
  readonly observedAt: number
}

/** Two looks that are further apart do not show that a block is fresh. */
const recentMs = 60_000
/** Every block is a little old when it is seen: the largest of these last minutes is the best. */
const rememberedMs = 10 * 60_000

/** @param now milliseconds by a clock that nobody sets */
export function sample(before: Skew | null, { number, timestamp }: Header, now: number): Skew {
  const ms = timestamp * 1000 - now
  const isMinimum = !before || ms <= before.minimumMs || now - before.minimumAt > rememberedMs
  const minimum = isMinimum
    ? { minimumMs: ms, minimumAt: now }
    : { minimumMs: before.minimumMs, minimumAt: before.minimumAt }
  const observed = { head: number, observedAt: now, ...minimum }
  const isRecent = before !== null && number > before.head && now - before.observedAt <= recentMs
  const measured = { ms, isRecent, measuredAt: now, ...observed }
  if (!before) return measured
  if (isRecent) {
    const isBetter = !before.isRecent || ms >= before.ms || now - before.measuredAt > rememberedMs
    return isBetter ? measured : { ...before, ...observed }
  }
  return before.isRecent ? { ...before, ...observed } : measured
}

/**
 * How far a chain's clock is ahead of the database's. One provider cannot move it alone: of several, the one that is nearest to the
 * database's clock counts.
 *
 * @param now of the clock that samples were taken by
 * @param clockMs how far the database's clock is ahead of that
 * @returns null where nothing was seen of late
 */
export function chainClock(
  skews: readonly Skew[],
  now: number,
  clockMs: number,
): ObservedClock | null {
  const recent = skews
    .filter(({ observedAt }) => now - observedAt <= recentMs)
    .map((skew) => ({ ...skew, ms: skew.ms - clockMs, minimumMs: skew.minimumMs - clockMs }))
  const [closest] = recent.toSorted((a, b) => Math.abs(a.ms) - Math.abs(b.ms))
  if (!closest) return null
  const { ms, minimumMs, isRecent } = closest
  if (Math.abs(ms) <= tolerableMs) return { aheadMs: 0, minimumMs }
  // A block that is old may mean that the chain has halted. One from the future means that the database's clock is slow.
  return { aheadMs: isRecent || ms > 0 ? ms : null, minimumMs }
}
