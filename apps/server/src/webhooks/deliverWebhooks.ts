import type { FastifyBaseLogger } from 'fastify'
import { classifyDbError } from '../lib/classifyDbError.ts'
import type { Metrics } from '../lib/metrics/metrics.ts'
import { type Traced, untraced } from '../lib/tracing/traced.ts'
import type { Db } from '../store/connection/connect.ts'
import type { DatabaseWatch } from '../store/connection/watchDatabase.ts'
import { type Claim, claimDeliveries } from '../store/webhook-endpoints/claims.ts'
import { createDeliveryReport, deliverySpan, noteOutcome } from './reportDelivery.ts'
import { type Sender, sendDelivery } from './sendDelivery.ts'
import { createSettler } from './settleDeliveries.ts'

type Options = Sender & {
  db: Db
  database: Pick<DatabaseWatch, 'report'>
  log: FastifyBaseLogger
  metrics?: Pick<Metrics, 'delivery'>
  traced?: Traced
  /** The maximum of attempts that this process has in progress. */
  concurrency: number
}

export type Deliveries = {
  /** Looks for due deliveries now. */
  wake(): void
  /** The endpoints with deliveries in progress. */
  endpoints(): string[]
  /** Ends the deliveries to an endpoint that is gone or disabled. */
  drop(endpointId: string): void
  /** Ends the deliveries in progress, and releases their claims, so that another process resumes them. */
  stop(): Promise<void>
}

/** If a notification is lost, due deliveries are found after this time at the latest. */
const pollMs = 1000
/** A claim outlasts its attempt by this time, in which the outcome is stored. */
const settleMs = 4_000
const maxPerEndpoint = 16
const perFailing = 1

/**
 * Delivers events until it is stopped: claims due deliveries in the database, posts them, and stores their outcomes.
 * Any number of processes may do so at once. A claimed delivery without a stored outcome is due again when its claim
 * expires, so every event arrives at least once, even if a process is killed.
 */
export function deliverWebhooks(options: Options): Deliveries {
  const { db, database, poster, log, now, concurrency, metrics, traced = untraced } = options
  const underWay = new Map<Claim, AbortController>()
  const sending = new Set<Promise<void>>()
  const report = createDeliveryReport(log, metrics)
  const settler = createSettler({
    ...{ db, now, failed },
    disabled({ endpointId, reason }) {
      log.warn({ endpoint: endpointId, reason }, 'webhook endpoint disabled')
    },
  })
  let claiming: Promise<void> | null = null
  let hasMore = false
  let stopped = false

  const claimMs = poster.longestMs + settleMs
  const poll = setInterval(wake, pollMs)

  function wake(): void {
    hasMore = true
    if (stopped || claiming) return
    claiming = claim()
      .catch((error) => failed(error, 'webhooks that are due could not be read'))
      .finally(() => {
        claiming = null
        if (hasMore && !stopped && underWay.size < concurrency) wake()
      })
  }

  async function claim(): Promise<void> {
    hasMore = false
    const busy = new Map<string, number>()
    let failing = 0
    for (const { endpointId, failing: fails } of underWay.keys()) {
      busy.set(endpointId, (busy.get(endpointId) ?? 0) + 1)
      if (fails) failing += 1
    }
    const capacity = concurrency - underWay.size
    if (capacity <= 0) return
    // Each endpoint gets a fraction of the capacity that remains, and each claim at most half of it. Even if many
    // endpoints stop responding, some capacity is left for others.
    const perEndpoint = Math.min(maxPerEndpoint, Math.ceil(capacity / 32))
    const claims = await claimDeliveries(db.pool, {
      total: Math.ceil(capacity / 2),
      failing: Math.min(capacity, Math.floor(concurrency / 2)) - failing,
      ...{ perEndpoint, perFailing, busy, claimMs },
    })
    for (const claim of claims) startDelivery(claim)
    // The limits above may have left out deliveries that are due.
    if (claims.length > 0) hasMore = true
  }

  function startDelivery(claim: Claim): void {
    const abort = new AbortController()
    underWay.set(claim, abort)
    const attempt = sendTraced(claim, abort.signal)
      .catch((error) => log.error({ err: error }, 'a webhook could not be sent'))
      .finally(() => {
        underWay.delete(claim)
        sending.delete(attempt)
        wake()
      })
    sending.add(attempt)
  }

  /** Async, so that a claim whose delivery throws at once fails alone. */
  async function sendTraced(claim: Claim, signal: AbortSignal): Promise<void> {
    await traced(
      () => deliverySpan(claim),
      async (note) => {
        const sent = await sendDelivery(options, claim, signal)
        const released = signal.aborted && sent.responseStatus === null
        const settled = released ? { ...sent, released, waitMs: 0, error: null } : sent
        noteOutcome(note, settled)
        if (!released) report(settled)
        settler.add(settled)
      },
    )
  }

  function failed(error: unknown, message: string): void {
    database.report(error)
    // The database watch logs faults of the database, each once.
    if (classifyDbError(error) === null) log.warn({ err: error }, message)
  }

  return {
    wake,
    endpoints: () => [...new Set([...underWay.keys()].map(({ endpointId }) => endpointId))],
    drop(endpointId) {
      for (const [claim, abort] of underWay) if (claim.endpointId === endpointId) abort.abort()
    },
    async stop() {
      stopped = true
      clearInterval(poll)
      await claiming
      for (const abort of underWay.values()) abort.abort()
      await Promise.all(sending)
      await settler.flush()
      await poster.close()
    },
  }
}
