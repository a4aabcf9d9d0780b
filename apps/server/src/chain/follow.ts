import { classifyDbError } from '../lib/classifyDbError.ts'
import type { Metrics } from '../lib/metrics/metrics.ts'
import { type Traced, type TracedWork, untraced } from '../lib/tracing/traced.ts'
import { pause, whileLeased } from '../lib/whileLeased.ts'
import { findHeaders } from '../store/chains/blocks.ts'
import {
  acquireLease,
  keepLease,
  type Lease,
  releaseLease,
  renewLease,
} from '../store/chains/cursors.ts'
import { findDeferred } from '../store/chains/deferredTransactions.ts'
import { isWatched } from '../store/chains/watchedTopics.ts'
import { writeClock } from '../store/clocks/clocks.ts'
import type { ChainClock } from '../store/clocks/timeOfChains.ts'
import type { Db } from '../store/connection/connect.ts'
import type { DatabaseWatch } from '../store/connection/watchDatabase.ts'
import type { NewEvent } from '../store/events/events.ts'
import { readTimesToSuccess } from '../store/events/timesToSuccess.ts'
import { isTransferAwaited } from '../store/payment-intents/paymentIntents.ts'
import { type PollResult, pollChain } from './pollChain.ts'
import { type FollowerState, initialState } from './polling/followerState.ts'
import { createHeads, type Heads } from './providers/heads.ts'
import type { Providers } from './providers/providers.ts'
import type { Reader } from './providers/reader.ts'
import { reportPoll } from './reportPoll.ts'
import { RpcError } from './rpc/rpcError.ts'
import { traceSpan } from './traceSpan.ts'
import { watchStandstill } from './watchStandstill.ts'

export type FollowOptions = {
  readonly db: Db
  readonly database: Pick<DatabaseWatch, 'report'>
  readonly providers: Providers
  readonly chainId: number
  /** Milliseconds between two polls while a payment or a refund is awaited. */
  readonly pollMs: number
  /** Milliseconds between two polls while only late windows are open. */
  readonly latePollMs: number
  /** The chain's time, Unix milliseconds. */
  readonly now: () => number
  /** In [0, 1). */
  readonly random: () => number
  /**
   * Seconds between blocks of a development chain; null: it makes blocks only on request. Absent: a chain that makes
   * blocks all the time.
   */
  readonly blockSeconds?: (() => Promise<number | null>) | undefined
  readonly metrics?: Pick<Metrics, 'recorded' | 'notRecorded' | 'succeeded'>
  readonly traced?: Traced
  readonly log: {
    debug(fields: object, message: string): void
    info(fields: object, message: string): void
    warn(fields: object, message: string): void
  }
}

/** Milliseconds between two reads of the database while nothing is awaited, or another process follows. */
const idleMs = 1_000
/** Maximum milliseconds between two reads for new intents while only late windows are open. */
const longestStepMs = 2_000
/** Far less than a lease lasts. */
const renewMs = 2_000

/**
 * Follows one chain until stopped, whenever this process holds the chain's lease.
 *
 * @returns a function that stops at the end of the current poll
 */
export function follow(options: FollowOptions): () => Promise<void> {
  const controller = new AbortController()
  const loop = run(options, controller.signal)
  return async () => {
    controller.abort()
    await loop
  }
}

async function run(options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { db, database, chainId, log, random, providers } = options
  const heads = createHeads({ ...options, connections: providers.connections })
  const standstill = watchStandstill(options)
  let isUnreadable = false
  let hasDatabaseFailed = false
  await whileLeased<Lease>(
    {
      ...{ database, random, idleMs, renewMs },
      acquire: () => acquireLease(db, chainId),
      renew: (lease) => keepLease(db.pool, lease),
      release: (lease) => releaseLease(db, lease),
      async work(lease) {
        const fields = { chain_id: chainId, epoch: String(lease.epoch) }
        // The fault itself was logged; servers that take turns would repeat this every second.
        if (!isUnreadable && !hasDatabaseFailed) log.info(fields, 'following')
        hasDatabaseFailed = false
        try {
          const ended = await readOn(options, { heads, standstill }, lease, signal)
          if (ended === 'unreadable' && !isUnreadable) {
            log.warn(
              { chain_id: chainId },
              'no provider can be read; each is tried again after a rest',
            )
          }
          isUnreadable = ended === 'unreadable'
        } catch (error) {
          hasDatabaseFailed = classifyDbError(error) !== null
          throw error
        } finally {
          heads.pause()
        }
      },
      failed: (error, failures) =>
        log.warn({ chain_id: chainId, failures, err: error }, 'the chain follower failed'),
    },
    signal,
  )
}

type Watches = { readonly heads: Heads; readonly standstill: ReturnType<typeof watchStandstill> }

type Ended = 'stopped' | 'unreadable'

/** Polls until stopped, or until no provider responds. @throws {LeaseLost} */
async function readOn(
  options: FollowOptions,
  { heads, standstill }: Watches,
  lease: Lease,
  signal: AbortSignal,
): Promise<Ended> {
  const { db, chainId, providers } = options
  const deferred = await findDeferred(db.pool, chainId, options.now())
  await standstill.resume()
  let last: PollResult['type'] | 'failed' = 'idle'
  let state = initialState(await findHeaders(db.pool, chainId), deferred)
  const publishClock = createClockPublisher(options, lease)
  while (!signal.aborted) {
    await publishClock()
    const reader = await chooseReader(options, lease)
    if (reader === 'unreadable') return reader
    const polled =
      reader === 'idle' ? { type: reader } : await pollOnce(options, reader, lease, state)
    // Check the standbys concurrently, and only while payments are awaited.
    if (polled.type !== 'idle') {
      void providers.checkHealth()
      await standstill.note(lease)
    }
    if ('state' in polled && reader !== 'idle') {
      reportPoll(options, reader, polled, state)
      void measure(options, polled)
    }
    switch (polled.type) {
      case 'idle':
        heads.pause()
        await pause(idleMs, signal)
        break
      case 'catching_up':
        state = polled.state
        break
      case 'current':
        state = polled.state
        await untilNextPoll(options, heads, signal)
        break
      case 'provider_behind':
        state = polled.state
        if (last !== polled.type) {
          options.log.warn(
            { chain_id: chainId, head: String(polled.head), scanned_to: String(polled.scannedTo) },
            'the RPC is behind the blocks read before; the server waits for it',
          )
        }
        await pause(options.pollMs, signal)
        break
      case 'failed':
        break
    }
    last = polled.type
  }
  return 'stopped'
}

/** A smaller change is not worth a write. */
const clockMovedMs = 1_000

/** Publishes the chain's clock, as measured by this process, to all servers. The function throws {@link LeaseLost}. */
function createClockPublisher({ db, providers }: FollowOptions, lease: Lease): () => Promise<void> {
  let published: ChainClock | null = null
  return async () => {
    const measured = providers.clock()
    if (measured === null || measured.aheadMs === null) return
    const clock = { ...measured, aheadMs: measured.aheadMs }
    const moved =
      published === null ||
      Math.abs(clock.aheadMs - published.aheadMs) >= clockMovedMs ||
      Math.abs(clock.minimumMs - published.minimumMs) >= clockMovedMs
    if (!moved) return
    await writeClock(db.pool, lease, clock)
    published = clock
  }
}

/** Runs concurrently: a metric must not delay a poll, or fail it. */
async function measure(
  { db, database, chainId, metrics, log }: FollowOptions,
  { events, failures }: { events: readonly NewEvent[]; failures: readonly unknown[] },
): Promise<void> {
  if (!metrics) return
  const succeeded = events.flatMap(({ type, intentId }) =>
    type === 'payment_intent.succeeded' && intentId ? [intentId] : [],
  )
  try {
    metrics.notRecorded(chainId, failures.length)
    metrics.recorded(chainId, events)
    if (succeeded.length === 0) return
    const times = await readTimesToSuccess(db.pool, succeeded)
    for (const seconds of times) metrics.succeeded(chainId, seconds)
  } catch (error) {
    database.report(error)
    if (classifyDbError(error) === null)
      log.warn({ chain_id: chainId, err: error }, 'a poll is not counted')
  }
}

/** Chooses a ready provider, if necessary after checking those whose backoff is over. */
async function chooseReader(
  { db, chainId, providers }: FollowOptions,
  lease: Lease,
): Promise<Reader | 'idle' | 'unreadable'> {
  const ready = providers.choose()
  if (ready) return ready
  await renewLease(db.pool, lease)
  if (!(await isWatched(db.pool, chainId))) return 'idle'
  await providers.checkHealth()
  return providers.choose() ?? 'unreadable'
}

/** Polls once, with one provider. After its failure the next poll chooses another. @throws {LeaseLost} and errors of the database */
async function pollOnce(
  options: FollowOptions,
  reader: Reader,
  lease: Lease,
  state: FollowerState,
): Promise<PollResult | { type: 'failed' }> {
  const { rpc, blocksPerQuery, secondProvider, disagreed } = reader
  const { db, now, chainId, traced = untraced } = options
  const tracedPoll: TracedWork = (work) => traced(() => traceSpan(chainId, reader), work)
  try {
    const polled = await pollChain(
      { db, now, lease, rpc, blocksPerQuery, secondProvider, disagreed, traced: tracedPoll },
      state,
    )
    if (polled.type !== 'idle') reader.worked()
    return polled
  } catch (error) {
    // An error of the database is no failure of the provider.
    if (!(error instanceof RpcError)) throw error
    reader.failed(error)
    return { type: 'failed' }
  }
}

/** While only late payments are possible, polls are rare, so that a quiet shop costs few calls. A new intent or a signed refund ends the
 * wait. */
async function untilNextPoll(
  options: FollowOptions,
  heads: Heads,
  signal: AbortSignal,
): Promise<void> {
  const { db, chainId, pollMs, latePollMs } = options
  if (await isTransferAwaited(db.pool, chainId)) return heads.next(pollMs, signal)
  heads.pause()
  const step = Math.min(pollMs, longestStepMs)
  for (let waited = 0; waited < latePollMs && !signal.aborted; waited += step) {
    await pause(step, signal)
    if (await isTransferAwaited(db.pool, chainId)) return
  }
}
