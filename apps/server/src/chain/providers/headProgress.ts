import { standstillSeconds } from '../../store/chains/providerHeads.ts'
import { max, min } from '../rpc/bigints.ts'

/** How a provider's newest block rose. Times in Unix milliseconds. */
export type HeadProgress = {
  /** As it was reported last. */
  readonly head: bigint
  readonly observedAt: number
  /** The highest one, and when it was reported last. */
  readonly highest: bigint
  readonly highestAt: number
  /** When the highest one rose last. */
  readonly advancedAt: number
  /** How many blocks the best other provider claimed to be ahead right after that; null: not known yet. */
  readonly lead: bigint | null
}

export const standstillMs = standstillSeconds * 1_000
/** Time in which nobody looked proves nothing beyond this. */
const longestGapMs = 30_000
/** A head that nobody shows any more was a mistake, or a reorg took it back. */
const forgottenMs = 60_000
/** A provider that is further behind the best of the others is not believed about the head. */
export const tolerableLag = 10n

/** @param best the highest head that other providers reported last; null where there are none */
export function observeHead(
  before: HeadProgress | null,
  head: bigint,
  best: bigint | null,
  now: number,
): HeadProgress {
  if (before === null || head > before.highest) {
    // The other heads known now may be from before they rose, too.
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

/** How long the head stood still while somebody looked. */
export function standstillOf({ observedAt, advancedAt }: HeadProgress): number {
  return observedAt - advancedAt
}

function standsStill(progress: HeadProgress): boolean {
  return standstillOf(progress) >= standstillMs
}

/** Whether a provider stands still while another one, which goes on, has left it behind. */
export function isFrozen(progress: HeadProgress, reader: HeadProgress, now: number): boolean {
  return (
    standsStill(progress) &&
    now - progress.observedAt <= forgottenMs &&
    !standsStill(reader) &&
    reader.head - progress.highest > tolerableLag
  )
}

/**
 * How far depth may count by the other provider alone: as far as that one has risen since this one stood still, and by a
 * block a second at most. A head that is claimed to be higher than it is makes nothing deeper.
 */
export function depthDuringStandstill(frozen: HeadProgress, head: bigint, now: number): bigint {
  if (frozen.lead === null) return frozen.highest
  const seconds = BigInt(Math.floor(Math.max(0, now - frozen.advancedAt) / 1_000))
  return max(frozen.highest, min(head - frozen.lead, frozen.highest + seconds))
}
