import type { Hex } from 'viem'
import { type Note, untracedWork } from '../lib/tracing/traced.ts'
import { type Cursor, renewLease } from '../store/chains/cursors.ts'
import type { DeferredTransaction } from '../store/chains/deferredTransactions.ts'
import { readWatch, type Watch } from '../store/chains/watchedTopics.ts'
import type { NewEvent } from '../store/events/events.ts'
import { afterFailures, skippedIntents } from './polling/failingIntents.ts'
import { type FollowerState, minuteOf } from './polling/followerState.ts'
import { afterPoll } from './polling/quarantine.ts'
import { type ReadContext, readChain } from './polling/readChain.ts'
import { type Failure, type Recorded, recordUpdate } from './recording/recordUpdate.ts'
import type { ChainUpdate } from './recording/writeUpdate.ts'

export type PollResult =
  /** No intent waits for a payment on this chain; nothing was requested of its provider. */
  | { type: 'idle' }
  /** Read up to the head. */
  | ({ type: 'current' } & PollOutcome)
  /** Read a part of the new blocks. */
  | ({ type: 'catching_up' } & PollOutcome)
  /** The provider is behind the cursor; new payments in its blocks are recorded. */
  | ({ type: 'provider_behind'; head: bigint; scannedTo: bigint } & PollOutcome)

type PollOutcome = {
  readonly state: FollowerState
  /** Rows that could not be recorded, and why. */
  readonly failures: readonly Failure[]
  /** Transactions that could not be read or recorded. */
  readonly deferred: readonly DeferredTransaction[]
  /** Transactions whose quarantine begins. */
  readonly quarantined: readonly DeferredTransaction[]
  /** Transactions that left quarantine: they were read, or a reorg removed them. */
  readonly released: readonly DeferredTransaction[]
  /** Transfers that earlier polls of the same blocks did not return. */
  readonly delayedTransfers: number
  /** Events of the changes that the poll made. */
  readonly events: readonly NewEvent[]
}

/**
 * Reads the new blocks of a chain and records their transfers. Reading the same blocks again changes nothing.
 *
 * @throws {LeaseLost} when another process follows the chain by now
 * @throws {RpcError} when the provider fails; nothing is recorded then
 */
export async function pollChain(context: ReadContext, state: FollowerState): Promise<PollResult> {
  const { db, lease, traced = untracedWork } = context
  const cursor = await renewLease(db.pool, lease)
  const watch = await readWatch(db.pool, lease.chainId, state.watch)
  if (!watch) return { type: 'idle' }
  return traced((note) => readAndRecord(context, state, { cursor, watch, note }))
}

async function readAndRecord(
  context: ReadContext,
  state: FollowerState,
  { cursor, watch, note }: { cursor: Cursor; watch: Watch; note: Note },
): Promise<PollResult> {
  const fetched = await readChain(context, state, cursor, watch)
  const { update } = fetched
  if (fetched.type === 'provider_behind') {
    const { head, scannedTo, type } = fetched
    note({ 'payment_intents.block.head': Number(head) }, type)
    const blocks = update.transactions.map((transaction) => transaction.header.hash)
    const unverifiedBlocks = [...new Set([...state.unverifiedBlocks, ...blocks])]
    const nextState = { ...state, watch, unverifiedBlocks }
    const { outcome: recorded } = await recordPoll(context, nextState, update, note)
    return { type, head, scannedTo, ...recorded }
  }
  const { scanned, head } = update
  note({
    'payment_intents.block.read_to': Number(scanned.to),
    'payment_intents.block.new': Number(scanned.to - (cursor.scannedTo ?? scanned.to)),
    'payment_intents.block.head': Number(head),
    'payment_intents.block.lag': Number(head - scanned.to),
  })
  const nextState: FollowerState = {
    ...state,
    window: update.reconciled.window,
    watch,
    fullRereadTo: fetched.fullRereadTo,
    branches: fetched.branches,
    rereadFailure: fetched.rereadFailure,
    depthFrom: update.depthFrom,
    unverifiedBlocks: [],
  }
  const { outcome: recorded, written } = await recordPoll(context, nextState, update, note)
  return {
    type: fetched.isCurrent && !written.moreOverdue ? 'current' : 'catching_up',
    ...recorded,
    state: {
      ...recorded.state,
      pendingOrphans: written.pendingOrphans,
      // An intent that has just changed may have expired.
      cleanedAt: written.changed ? null : minuteOf(scanned),
    },
  }
}

async function recordPoll(
  { db, lease, now: clock }: ReadContext,
  state: FollowerState,
  update: ChainUpdate,
  note: Note,
): Promise<{ outcome: PollOutcome; written: Recorded }> {
  const { deferred, failing } = state
  const now = clock()
  const before = { deferred, skipped: skippedIntents(failing, now) }
  const written = await recordUpdate(db, lease, update, before, now)
  note({ 'payment_intents.events': written.events.length })
  const wasQuarantined = (txHash: Hex) => deferred.get(txHash)?.isQuarantined === true
  const outcome: PollOutcome = {
    state: {
      ...state,
      deferred: afterPoll(deferred, {
        failed: written.deferred,
        noLongerDeferred: written.noLongerDeferred,
      }),
      failing: afterFailures(failing, written.failed, now),
    },
    failures: written.failures,
    deferred: written.deferred,
    quarantined: written.deferred.filter(
      ({ txHash, isQuarantined }) => isQuarantined && !wasQuarantined(txHash),
    ),
    released: written.noLongerDeferred.flatMap((txHash) =>
      wasQuarantined(txHash) ? (deferred.get(txHash) ?? []) : [],
    ),
    delayedTransfers: update.delayedTransfers,
    events: written.events,
  }
  return { outcome, written }
}
