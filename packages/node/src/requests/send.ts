import type { Issue } from '../errors/paymentIntentsError.ts'
import { checkKeyHeader } from '../options/checkOptions.ts'
import type { CallOptions, Limits, Settings } from '../options/clientOptions.ts'
import { streamingFetch } from '../transport/defaultFetch.ts'
import { abortedError, type Context, classify, requestIdOf } from './classify.ts'
import { readStream } from './readStream.ts'
import { type HttpResponse, request } from './request.ts'
import { type Idempotency, retryDelay, withRetries } from './retry.ts'

export type Call = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Begins with a slash; appended to the base URL. */
  readonly path: string
  /** Serialised once, so that every attempt sends the same bytes. */
  readonly body?: string
  readonly idempotency: Idempotency
  /** Milliseconds for which the service may hold the request, in addition to `timeout`. */
  readonly longPollMs?: number
  /** The idempotency key if the caller passes none; a new UUID by default. */
  readonly defaultKey?: string
  /** The media type of a streamed response. */
  readonly streams?: string | undefined
  /** Validates the JSON of a response against the endpoint's schema; undefined: it is not JSON. */
  readonly issuesOf: (body: unknown) => readonly Issue[]
  /** Adds the fields that only the headers carry to a valid response. */
  readonly complete?: (body: unknown, headers: HttpResponse['headers']) => unknown
}

/**
 * Performs a call with the options of the client and the caller. Returns the parsed JSON of the response, or an
 * iterable of the text of a streamed response.
 *
 * @param prepare reads the caller's arguments, so it may throw anything
 * @param limits replace the usual limits for a call whose options set none
 * @throws PaymentIntentsError and nothing else
 */
export type Send = (prepare: () => Call, options?: CallOptions, limits?: Limits) => Promise<unknown>

/** One logical call: as many attempts as its settings allow, all with the same idempotency key if it needs a key. */
export async function send(apiKey: string, settings: Settings, call: Call): Promise<unknown> {
  const { baseUrl, deadline, logger, maxRetries, signal, timeout } = settings
  const { method, body, idempotency, streams } = call
  const fetch = streams ? streamingFetch(settings.fetch) : settings.fetch
  const idempotencyKey =
    idempotency === 'keyed'
      ? (settings.idempotencyKey ?? call.defaultKey ?? crypto.randomUUID())
      : undefined
  const url = baseUrl + call.path
  // A query may contain customer data, so it is not logged.
  const [path] = call.path.split('?', 1)
  const headers = new Headers()
  for (const headerSet of settings.headers) {
    for (const [name, value] of new Headers(headerSet)) headers.set(name, value)
  }
  if (idempotency === 'keyed' && settings.idempotencyKey === undefined) checkKeyHeader(headers)
  headers.set('accept', [...(streams ? [streams] : []), 'application/json'].join(', '))
  headers.set('authorization', `Bearer ${apiKey}`)
  if (body !== undefined) headers.set('content-type', 'application/json')
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey)
  const giveUpAt = performance.now() + deadline

  return withRetries(async (attempt) => {
    const context: Context = { apiKey, baseUrl, idempotencyKey, idempotency, attempts: attempt }
    if (signal?.aborted) throw abortedError({ ...context, attempts: attempt - 1 }, signal.reason)
    const startedAt = performance.now()
    const attemptTimeout = timeout + (call.longPollMs ?? 0)
    const limit = Math.min(attemptTimeout, Math.max(1, giveUpAt - startedAt))
    const outcome = await request({
      ...{ fetch, method, url, headers, body, timeout: limit, signal, streams },
    })
    if (outcome.type === 'aborted') throw abortedError(context, signal?.reason)

    const verdict = classify(outcome, context, limit, call.issuesOf)
    const facts = logger && {
      ...{ method, path, attempt },
      status: outcome.type === 'responded' ? outcome.response.status : undefined,
      duration: Math.round(performance.now() - startedAt),
      request_id: outcome.type === 'responded' ? requestIdOf(outcome.response, context) : undefined,
    }
    if (facts) quietly(() => logger.debug?.('payment-intents: request', facts))
    if (verdict.type === 'streamed') {
      return { type: 'done', result: readStream(verdict.response, settings, context) }
    }
    if (verdict.type === 'fulfilled') {
      const { body, headers } = verdict
      return { type: 'done', result: call.complete ? call.complete(body, headers) : body }
    }

    const { error, failure } = verdict
    const delay = attempt > maxRetries ? undefined : retryDelay(failure, attempt)
    // A timer may end early, by the time that the event loop was busy before it was set.
    const hasReachedDeadline = error.code === 'timeout' && limit < attemptTimeout
    const isLast = hasReachedDeadline || performance.now() + (delay ?? 0) >= giveUpAt
    if (delay === undefined || isLast) throw error
    const { code } = error
    quietly(() => logger?.warn?.('payment-intents: retry', { ...facts, code, delay }))
    quietly(() => settings.onRetry?.({ attempt, delay, error }))
    return { type: 'retry', delay }
  }, signal)
}

/** Runs the caller's code. Its exceptions and rejections must not end the call. */
function quietly(run: () => unknown): void {
  try {
    Promise.resolve(run()).catch(() => {})
  } catch {}
}
