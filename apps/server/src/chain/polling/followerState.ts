import type { Hex } from 'viem'
import type { Header } from '../../store/chains/blocks.ts'
import type { DeferredTransaction } from '../../store/chains/deferredTransactions.ts'
import type { Watch } from '../../store/chains/watchedTopics.ts'
import type { CanonicalTransfer } from '../../store/transfers/transfers.ts'
import type { Branch } from './branches.ts'
import type { FailingIntents } from './failingIntents.ts'
import { type Deferred, toDeferred } from './quarantine.ts'
import type { Window } from './reconcile.ts'

/** State that the process with the lease keeps between polls, so that it does not read it again. */
export type FollowerState = {
  /** Canonical headers. */
  readonly window: Window
  readonly watch: Watch | null
  /** The last block of the last poll that read the full range again; null before the first. */
  readonly fullRereadTo: bigint | null
  /** Recent reorgs. */
  readonly branches: readonly Branch[]
  /** The lower of the two providers' heads in the last poll that read both; null before the first. */
  readonly depthFrom: bigint | null
  readonly deferred: Deferred
  readonly failing: FailingIntents
  /** Orphaned transfers that are not recorded as such yet, because their intents could not be changed. */
  readonly pendingOrphans: readonly CanonicalTransfer[]
  /** Blocks that were recorded while the provider was behind: they may not be canonical. */
  readonly unverifiedBlocks: readonly Hex[]
  /** Why the last poll could not read blocks again; null: it could, or none were due. */
  readonly rereadFailure: string | null
  /** The minute of the chain's clock in which expired rows were last deleted. */
  readonly cleanedAt: number | null
}

export function initialState(
  headers: readonly Header[],
  deferred: readonly DeferredTransaction[] = [],
): FollowerState {
  return {
    window: new Map(headers.map((header) => [header.number, header])),
    deferred: toDeferred(deferred),
    ...{ branches: [], failing: new Map(), pendingOrphans: [], unverifiedBlocks: [] },
    ...{ watch: null, fullRereadTo: null, depthFrom: null, rereadFailure: null, cleanedAt: null },
  }
}

/** The minute of a time in Unix seconds. */
export function minuteOf({ timestamp }: { timestamp: number }): number {
  return Math.floor(timestamp / 60)
}
