import { type BlockRange, grow, newBlockRange, shrink } from '../rpc/blockRange.ts'
import { tolerableLag } from './headProgress.ts'

/** A provider's health. Times in Unix milliseconds. */
export type Health = {
  /** `unchecked` after the start and each failure, until a check shows that it serves this chain. */
  readonly state: 'unchecked' | 'ready'
  /** Failures in a row. */
  readonly failures: number
  /** Gets no request until then. */
  readonly backoffUntil: number
  /** The newest block that it reported, and when. */
  readonly head: bigint | null
  readonly headAt: number
  readonly blockRange: BlockRange
}

const shortestBackoffMs = 500
const longestBackoffMs = 30_000

export const newHealth: Health = {
  state: 'unchecked',
  failures: 0,
  backoffUntil: 0,
  head: null,
  headAt: 0,
  blockRange: newBlockRange,
}

/**
 * Doubles the backoff with each failure in a row, so that a broken provider costs little. A check after the backoff decides whether it is used
 * again.
 *
 * @param random in [0, 1): shortens the backoff by up to half, so that servers do not return together
 */
export function failed(health: Health, now: number, random: number): Health {
  const backoffMs = Math.min(longestBackoffMs, shortestBackoffMs * 2 ** health.failures)
  return {
    ...health,
    state: 'unchecked',
    failures: health.failures + 1,
    backoffUntil: now + backoffMs * (0.5 + random / 2),
  }
}

/** After a successful check. Only a successful poll resets the failures, or a flapping provider would have no backoff. */
export function checked(health: Health): Health {
  return { ...health, state: 'ready' }
}

export function worked(health: Health): Health {
  return health.failures === 0 ? health : { ...health, failures: 0 }
}

export function reportedHead(health: Health, head: bigint, now: number): Health {
  return { ...health, head, headAt: now }
}

/** Whether a head that was just reported is too far behind the heads that others reported. */
export function isBehind(head: bigint, others: readonly Health[]): boolean {
  return others.some(
    (other) => other.state === 'ready' && other.head !== null && other.head - head > tolerableLag,
  )
}

export function refusedRange(health: Health, blocks: number): Health {
  return { ...health, blockRange: shrink(health.blockRange, blocks) }
}

export function tookRange(health: Health, blocks: number): Health {
  return { ...health, blockRange: grow(health.blockRange, blocks) }
}
