import type { Header } from '../../store/chains/blocks.ts'
import { type ObservedClock, tolerableMs } from '../../store/clocks/timeOfChains.ts'

/** How far a chain's clock is ahead of this process's, by the blocks of one provider. Times in milliseconds. */
export type Skew = {
  readonly ms: number
  /** Whether the block came between two samples. Any other block may be from before a standstill of the chain. */
  readonly isRecent: boolean
  readonly measuredAt: number
  /** The minimum of the last minutes, such as of a chain that catches up after a standstill. */
  readonly minimumMs: number
  readonly minimumAt: number
  /** The newest block, and the time of the sample. */
  readonly head: bigint
  readonly observedAt: number
}

/** Samples that are further apart do not show that a block is recent. */
const recentMs = 60_000
/** A block is a little old when it arrives, so the largest skew of the last minutes is the best. */
const rememberedMs = 10 * 60_000

/** @param now milliseconds of a monotonic clock */
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
 * How far a chain's clock is ahead of the database's. One provider cannot move it alone: of several, the skew closest to the database's clock counts.
 *
 * @param now of the clock of the samples
 * @param clockMs how far the database's clock is ahead of that clock
 * @returns null: there is no recent sample
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
  // An old block may mean that the chain has halted. A block from the future means that the database's clock is slow.
  return { aheadMs: isRecent || ms > 0 ? ms : null, minimumMs }
}
