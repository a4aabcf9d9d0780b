import type { Random } from './random.ts'

/** The provider's faults during one step. Probabilities are for each call. */
export type Faults = {
  /** The whole provider is this many blocks behind. */
  readonly behind: number
  /** So many of the newest blocks return no logs: fewer than the follower reads again. */
  readonly hidden: number
  readonly duplicates: boolean
  readonly missing: number
  readonly errors: number
  /**
   * The response comes from the branch that was replaced last. Always 0 or 1 here: the whole provider is on one branch.
   * A reading of one provider cannot see through nodes that each follow another branch.
   */
  readonly stale: number
}

export const noFaults: Faults = {
  behind: 0,
  hidden: 0,
  duplicates: false,
  missing: 0,
  errors: 0,
  stale: 0,
}

/** The fault of the follower's process during one step. */
export type DbErrorClass =
  | { type: 'none' }
  | { type: 'restart' }
  /** Killed before the statement with this number of the transaction that writes the reading. */
  | { type: 'crash'; statement: number }
  /** Killed after the commit, before its response. */
  | { type: 'crash_after_commit' }
  /** Another process takes over when the first has read the chain and is about to write. */
  | { type: 'takeover' }
  /** The stored headers are too old to be of use. */
  | { type: 'window_lost' }

export function drawFaults(random: Random): Faults {
  if (random.chance(0.4)) return noFaults
  return {
    behind: random.chance(0.2) ? random.int(1, 20) : 0,
    hidden: random.chance(0.35) ? random.int(1, 9) : 0,
    duplicates: random.chance(0.2),
    missing: random.chance(0.2) ? random.pick([0.02, 0.1, 0.4]) : 0,
    errors: random.chance(0.2) ? random.pick([0.02, 0.1, 0.4]) : 0,
    stale: random.chance(0.2) ? 1 : 0,
  }
}

export function drawDbError(random: Random): DbErrorClass {
  return random.weighted<DbErrorClass>([
    [66, { type: 'none' }],
    [8, { type: 'restart' }],
    [12, { type: 'crash', statement: random.int(0, 40) }],
    [4, { type: 'crash_after_commit' }],
    [6, { type: 'takeover' }],
    [4, { type: 'window_lost' }],
  ])
}
