import type { Hex } from 'viem'
import type { Header } from '../../store/chains/blocks.ts'
import type { DeferredTransaction } from '../../store/chains/deferredTransactions.ts'
import type { Watch } from '../../store/chains/watchedTopics.ts'
import type { PlacedTransfer } from '../../store/transfers/transfers.ts'
import type { Branch } from './branches.ts'
import type { FailingIntents } from './failingIntents.ts'
import { type Deferred, toDeferred } from './quarantine.ts'
import type { Window } from './reconcile.ts'

/** Keeps what the lease's holder knows from its polls, so that it need not be read again. */
export type FollowerState = {
  /** Canonical headers. */
  readonly window: Window
  readonly watch: Watch | null
  /** How far the last reading read that went back all the way; null before the first. */
  readonly deepTo: bigint | null
  /** Blocks that came in place of others of late. */
  readonly branches: readonly Branch[]
  /** The lower head of the last poll that requested it; null before. */
  readonly depthFrom: bigint | null
  readonly deferred: Deferred
  readonly failing: FailingIntents
  /** Transfers that the chain took back, of intents that could not be changed. */
  readonly unorphaned: readonly PlacedTransfer[]
  /** Blocks whose payments were recorded below the head: they may be of a branch that the chain has left. */
  readonly unlinked: readonly Hex[]
  /** Why the last poll could not read blocks once more; null: it could, or none was due. */
  readonly rereadFailure: string | null
  /** The minute of the chain's clock in which rows that have run out were deleted last. */
  readonly cleanedAt: number | null
}

export function initialState(
  headers: readonly Header[],
  deferred: readonly DeferredTransaction[] = [],
): FollowerState {
  return {
    window: new Map(headers.map((header) => [header.number, header])),
    deferred: toDeferred(deferred),
    ...{ branches: [], failing: new Map(), unorphaned: [], unlinked: [] },
    ...{ watch: null, deepTo: null, depthFrom: null, rereadFailure: null, cleanedAt: null },
  }
}

/** The minute of a time in Unix seconds. */
export function minuteOf({ timestamp }: { timestamp: number }): number {
  return Math.floor(timestamp / 60)
}
