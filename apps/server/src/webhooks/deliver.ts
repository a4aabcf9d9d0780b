import { signedHeaders } from '@payment-intents/contract/signing'
import { isDelivered, nextWait, presentEvent } from '@payment-intents/core'
import type { FastifyBaseLogger } from 'fastify'
import { boundedMap } from '../lib/boundedMap.ts'
import { troubleOf } from '../lib/classifyDbError.ts'
import { webhookSecretOf } from '../lib/crypto/webhookSecret.ts'
import type { Metrics } from '../lib/metrics.ts'
import { type Note, type SpanStart, type Traced, untraced } from '../lib/tracing/traced.ts'
import type { Db } from '../store/connection/connect.ts'
import type { DatabaseWatch } from '../store/connection/watchDatabase.ts'
import type { ServerKeys } from '../store/merchants/serverKeys.ts'
import {
  type Claim,
  claimDeliveries,
  type Settled,
  settleDeliveries,
} from '../store/webhook-endpoints/claims.ts'
import type { Lost } from '../store/webhook-endpoints/endpoints.ts'
import { disableLost } from './disableLost.ts'
import type { Poster } from './post.ts'

type Delivering = {
  db: Db
  database: Pick<DatabaseWatch, 'report'>
  poster: Poster
  serverKeys: ServerKeys
  log: FastifyBaseLogger
  metrics?: Pick<Metrics, 'delivery'>
  traced?: Traced
  random: () => number
  /** Unix milliseconds: receivers refuse what was signed minutes ago, or ahead of them. */
  now: () => number
  /** How many tries this process has under way at most. */
  concurrency: number
}

export type Deliveries = {
  /** Something may be due. */
  wake(): void
  /** Where something is under way. */
  endpoints(): string[]
  /** Ends what is under way at an endpoint that is gone or disabled. */
  drop(endpointId: string): void
  /** Ends what is under way; another process takes it up once its claim is over. */
  stop(): Promise<void>
}

/** Deliveries that are due are found then at the latest, should a notification be lost. */
const pollMs = 1000
/** A claim outlasts its try by as long as it may take to settle it. */
const settleMs = 4_000
const mostPerEndpoint = 16
const perFailing = 1

/**
 * Delivers events for as long as it is not stopped: what is due is claimed in the database, posted, and settled there.
 * Any number of processes may do so at once. What was claimed and never settled is due again when its claim is
 * over, so every event arrives at least once, whatever happens to a process.
 */
export function deliverWebhooks(delivering: Delivering): Deliveries {
  const { db, database, poster, serverKeys, log, random, now, concurrency, metrics } = delivering
  const { traced = untraced } = delivering
  const underWay = new Map<Claim, AbortController>()
  const sending = new Set<Promise<void>>()
  const ended: Settled[] = []
  /** Failures in a row, by endpoint: the first is logged. */
  const failuresOf = boundedMap<number>(10_000)
  let claiming: Promise<void> | null = null
  let again = false
  let settling: Promise<void> | null = null
  let stopped = false

  const claimMs = poster.longestMs + settleMs
  const poll = setInterval(wake, pollMs)

  function wake(): void {
    again = true
    if (stopped || claiming) return
    claiming = claim()
      .catch((error) => failed(error, 'webhooks that are due could not be read'))
      .finally(() => {
        claiming = null
        if (again && !stopped && underWay.size < concurrency) wake()
      })
  }

  async function claim(): Promise<void> {
    again = false
    const busy = new Map<string, number>()
    let failing = 0
    for (const { endpointId, failing: fails } of underWay.keys()) {
      busy.set(endpointId, (busy.get(endpointId) ?? 0) + 1)
      if (fails) failing += 1
    }
    const capacity = concurrency - underWay.size
    if (capacity <= 0) return
    // The fuller this process is, the less each endpoint gets, and never all that is left at once: however many
    // stop answering, there is capacity for one more that does.
    const perEndpoint = Math.min(mostPerEndpoint, Math.ceil(capacity / 32))
    const claims = await claimDeliveries(db.pool, {
      total: Math.ceil(capacity / 2),
      failing: Math.min(capacity, Math.floor(concurrency / 2)) - failing,
      ...{ perEndpoint, perFailing, busy, claimMs },
    })
    for (const one of claims) attempt(one)
    // A full hand: there may be more.
    if (claims.length > 0) again = true
  }

  function attempt(claim: Claim): void {
    const abort = new AbortController()
    underWay.set(claim, abort)
    const done = sendTraced(claim, abort.signal)
      .catch((error) => log.error({ err: error }, 'a webhook could not be sent'))
      .finally(() => {
        underWay.delete(claim)
        sending.delete(done)
        wake()
      })
    sending.add(done)
  }

  /** Async, so that a claim that cannot even be begun fails alone. */
  async function sendTraced(claim: Claim, signal: AbortSignal): Promise<void> {
    await traced(
      () => spanOf(claim),
      async (note) => {
        const settled = await send(claim, signal)
        const released = signal.aborted && settled.responseStatus === null
        ended.push(released ? { ...settled, released, waitMs: 0, error: null } : settled)
        noteOutcome(note, released ? 'released' : outcomeOf(settled), settled)
        if (!released) report(settled)
        settle()
      },
    )
  }

  async function send(claim: Claim, signal: AbortSignal): Promise<Settled> {
    const { endpointId, eventId, attempts, event, url } = claim
    const body = presentEvent(event)
    const secretOf = (version: number, key: string) =>
      webhookSecretOf(endpointId, version, serverKeys.named(key))
    const secrets = [secretOf(claim.secretVersion, claim.secretKey)]
    if (claim.previousSecretKey !== null) {
      secrets.push(secretOf(claim.secretVersion - 1, claim.previousSecretKey))
    }
    const message = { id: eventId, timestamp: Math.floor(now() / 1000), body }
    const posted = await poster.post({
      url,
      headers: signedHeaders(message, secrets),
      body,
      signal,
    })
    const status = posted.type === 'answered' ? posted.status : null
    const delivered = isDelivered(status)
    const retryAfterMs = posted.type === 'answered' ? posted.retryAfterMs : null
    return {
      endpointId,
      eventId,
      url,
      attempts,
      delivered,
      released: false,
      waitMs: delivered ? null : nextWait({ attempts, retryAfterMs, random: random() }),
      responseStatus: status,
      error: posted.type === 'unanswered' ? posted.error : null,
    }
  }

  function report({ endpointId, eventId, attempts, delivered, ...how }: Settled): void {
    metrics?.delivery(outcomeOf({ delivered, waitMs: how.waitMs }))
    const fields = { endpoint: endpointId, event: eventId, attempts, status: how.responseStatus }
    const failures = failuresOf.get(endpointId) ?? 0
    if (delivered) {
      failuresOf.delete(endpointId)
      if (failures === 0) log.debug(fields, 'webhook delivered')
      else log.info({ ...fields, failures }, 'webhooks are delivered to an endpoint again')
      return
    }
    failuresOf.set(endpointId, failures + 1)
    const failed = { ...fields, reason: how.error, retry_in_ms: how.waitMs }
    if (how.waitMs === null) log.warn(failed, 'webhook given up')
    else log[failures === 0 ? 'warn' : 'debug'](failed, 'webhook failed')
  }

  /** Writes what has ended; what ends meanwhile is written together, next. */
  function settle(): void {
    settling ??= settleAll()
  }

  async function settleAll(): Promise<void> {
    while (ended.length > 0) await settleBatch(ended.splice(0, 500))
    // At once: what ends from here on begins anew.
    settling = null
  }

  async function settleBatch(batch: readonly Settled[]): Promise<void> {
    try {
      for (const lost of await settleDeliveries(db.pool, batch)) await disable(lost)
    } catch (error) {
      // One row that the database refuses is not written; the others are.
      if (batch.length > 1 && troubleOf(error) === null) {
        for (const one of batch) await settleBatch([one])
        return
      }
      // Unsettled, it is due again when its claim is over: twice, rather than never.
      failed(error, 'how webhooks were answered could not be written')
    }
  }

  async function disable(lost: Lost): Promise<void> {
    try {
      if ((await disableLost(db, lost, now())) === 'not_lost') return
      log.warn({ endpoint: lost.endpointId, reason: lost.reason }, 'webhook endpoint disabled')
    } catch (error) {
      // The next failure there tries again.
      failed(error, 'a webhook endpoint could not be disabled')
    }
  }

  function failed(error: unknown, message: string): void {
    database.report(error)
    // The database watch logs its trouble once.
    if (troubleOf(error) === null) log.warn({ err: error }, message)
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
      await settling
      await poster.close()
    },
  }
}

function outcomeOf({ delivered, waitMs }: Pick<Settled, 'delivered' | 'waitMs'>) {
  if (delivered) return 'delivered'
  return waitMs === null ? 'given_up' : 'failed'
}

/** Of the endpoint its host alone: a path or query may be what lets one post there. */
function spanOf({ url, event, attempts }: Claim): SpanStart {
  const { hostname } = new URL(url)
  return {
    name: 'POST webhook',
    kind: 'client',
    attributes: {
      'http.request.method': 'POST',
      'http.request.resend_count': attempts - 1,
      'server.address': hostname,
      'payment_intents.event.id': event.id,
      'payment_intents.event.type': event.type,
      'payment_intents.webhook.attempt': attempts,
    },
  }
}

function noteOutcome(note: Note, outcome: string, { responseStatus: status }: Settled): void {
  const error = status === null ? 'no_response' : String(status)
  note(
    {
      'payment_intents.webhook.outcome': outcome,
      ...(status === null ? {} : { 'http.response.status_code': status }),
    },
    outcome === 'failed' || outcome === 'given_up' ? error : undefined,
  )
}
