import { limits } from '@payment-intents/contract'
import { retryAfterMs } from '@payment-intents/contract/errors'
import { type DeliveryError, deliveryErrors, deliveryTimeoutMs } from '@payment-intents/core'
import type { Agent, Dispatcher } from 'undici'
import { UnknownHost } from '../lib/dnsResolver.ts'
import { userAgent } from '../version.ts'
import { type Guard, RefusedTarget } from './webhookGuard.ts'

/** A body up to this size is read to its end, so that the connection can be reused. A larger body is not worth it. */
const bodyLimit = 16 * 1024
const bodyPatienceMs = 1_000

type ResponseBody = Dispatcher.ResponseData['body']

type Posted =
  /** `body` holds the first bytes, as far as they arrived. */
  | { type: 'responded'; status: number; retryAfterMs: number | null; body: Uint8Array }
  | { type: 'failed'; error: DeliveryError }

export type Poster = {
  /** The longest time that an attempt takes, in milliseconds. */
  readonly longestMs: number
  post(message: {
    url: string
    headers: Record<string, string>
    body: string
    /** Ends the attempt. */
    signal: AbortSignal
  }): Promise<Posted>
  close(): Promise<void>
}

/**
 * Creates a poster to URLs that the guard allows. It follows no redirects.
 * @param options.timeoutMs until the response's status arrives; 15,000 by default
 */
export function createPoster(guard: Guard, options: { timeoutMs?: number } = {}): Poster {
  const { timeoutMs = deliveryTimeoutMs } = options
  let loaded: Promise<{ agent: Agent; request: typeof import('undici').request }> | undefined
  /** The first webhook loads undici, so that a server without webhooks never does. */
  const load = async () => {
    const [{ request }, { guardedAgent }] = await Promise.all([
      import('undici'),
      import('./guardedAgent.ts'),
    ])
    return { request, agent: guardedAgent(guard, { timeoutMs, keepAliveTimeout: 10_000 }) }
  }
  return {
    longestMs: timeoutMs + bodyPatienceMs,
    async post({ url, headers, body, signal }) {
      const end = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      // undici checks a signal only once it is connected, but a name may never resolve.
      const ended = Promise.withResolvers<never>()
      // The attempt may end while undici loads, before anything handles the rejection.
      ended.promise.catch(() => {})
      const onEnd = () => ended.reject(end.reason)
      end.addEventListener('abort', onEnd)
      try {
        guard.checkHost(new URL(url))
        loaded ??= load()
        const { agent, request } = await loaded
        const sent = request(url, {
          dispatcher: agent,
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: '*/*',
            'user-agent': userAgent,
            ...headers,
          },
          body,
          signal: end,
        })
        const response = await Promise.race([sent, ended.promise])
        // The status decides the outcome, even if the body never ends.
        const content = await readStart(response.body, AbortSignal.timeout(bodyPatienceMs))
        const wait = retryAfterMs(response.headers['retry-after'], Date.now())
        const { statusCode: status } = response
        return { type: 'responded', status, retryAfterMs: wait ?? null, body: content }
      } catch (error) {
        return { type: 'failed', error: reasonOf(error, timeoutMs) }
      } finally {
        end.removeEventListener('abort', onEnd)
      }
    },
    close: async () => (await loaded)?.agent.destroy(),
  }
}

/**
 * Reads a body to its end. Closes the connection if the body is too large or too slow.
 *
 * @returns the first bytes
 */
async function readStart(body: ResponseBody, patience: AbortSignal): Promise<Uint8Array> {
  const start: Buffer[] = []
  let size = 0
  body.on('data', (chunk: Buffer) => {
    if (size < limits.webhookResponseBytes) start.push(chunk)
    size += chunk.length
    if (size > bodyLimit) body.destroy()
  })
  // No limit here: if a body declared a greater length, `dump` would read nothing.
  const limit = Number.MAX_SAFE_INTEGER
  await body.dump({ limit, signal: patience }).catch(() => {})
  return Buffer.concat(start).subarray(0, limits.webhookResponseBytes)
}

/** The error that the merchant sees. It tells nothing about the server's own network. */
function reasonOf(error: unknown, timeoutMs: number): DeliveryError {
  if (error instanceof RefusedTarget) return { code: 'address_refused', message: error.message }
  if (error instanceof UnknownHost) {
    return { code: 'host_not_found', message: 'The name of the host could not be resolved.' }
  }
  const { name, code = '' } = error as { name?: string; code?: string }
  if (name === 'TimeoutError' || /TIMEOUT/.test(code)) {
    return deliveryErrors.timeout(timeoutMs)
  }
  if (/CERT|TLS|SSL|SELF_SIGNED/.test(code)) {
    return { code: 'certificate_refused', message: `The certificate was not accepted (${code}).` }
  }
  if (code === 'ECONNREFUSED') {
    return { code: 'connection_refused', message: 'The connection was refused.' }
  }
  return deliveryErrors.broken
}
