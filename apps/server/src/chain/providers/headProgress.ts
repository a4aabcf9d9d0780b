import { standstillSeconds } from '../../store/chains/providerHeads.ts'
import { max, min } from '../rpc/bigints.ts'

/** The progress of a provider's head. Times in Unix milliseconds. */
export type HeadProgress = {
  /** The head that it reported last. */
  readonly head: bigint
  readonly observedAt: number
  /** The highest head, and when it was last reported. */
  readonly highest: bigint
  readonly highestAt: number
  /** When the highest head last rose. */
  readonly advancedAt: number
  /** By how many blocks the best other provider was ahead in the first poll after `highest` last rose; null before that poll. */
  readonly lead: bigint | null
}

export const standstillMs = standstillSeconds * 1_000
/** A longer time without requests does not count as standstill. */
const longestGapMs = 30_000
/** A head that no provider reports any longer was a mistake, or a reorg removed it. */
const forgottenMs = 60_000
/** The head of a provider that is further behind the best other provider does not count. */
export const tolerableLag = 10n

/** @param best the highest head that other providers last reported; null without any */
export function observeHead(
  before: HeadProgress | null,
  head: bigint,
  best: bigint | null,
  now: number,
): HeadProgress {
  if (before === null || head > before.highest) {
    // The stored heads of the others may be older.
    return { head, observedAt: now, highest: head, highestAt: now, advancedAt: now, lead: null }
  }
  const unseen = Math.max(0, now - before.observedAt - longestGapMs)
  const lead = before.lead ?? (best === null ? null : max(0n, best - before.highest))
  const observed = {
    ...before,
    head,
    observedAt: now,
    advancedAt: before.advancedAt + unseen,
    lead,
  }
  const isForgotten = now - before.highestAt > forgottenMs + unseen
  return head === before.highest || isForgotten
    ? { ...observed, highest: head, highestAt: now }
    : observed
}

/** How long the head stood still while it was requested. */
export function standstillOf({ observedAt, advancedAt }: HeadProgress): number {
  return observedAt - advancedAt
}

function standsStill(progress: HeadProgress): boolean {
  return standstillOf(progress) >= standstillMs
}

/** Whether a provider stands still while the reader's head has risen far above its own. */
export function isFrozen(progress: HeadProgress, reader: HeadProgress, now: number): boolean {
  return (
    standsStill(progress) &&
    now - progress.observedAt <= forgottenMs &&
    !standsStill(reader) &&
    reader.head - progress.highest > tolerableLag
  )
}

/**
 * The block up to which depth counts by the other provider alone: as far as its head has risen since this provider stands still, and at most a
 * block a second, so that an exaggerated head makes no payment deeper.
 */
export function depthDuringStandstill(frozen: HeadProgress, head: bigint, now: number): bigint {
  if (frozen.lead === null) return frozen.highest
  const seconds = BigInt(Math.floor(Math.max(0, now - frozen.advancedAt) / 1_000))
  return max(frozen.highest, min(head - frozen.lead, frozen.highest + seconds))
}
