import { sleep } from '../lib/sleep.ts'
import type { Requests, ServiceTransport } from './post.ts'

/** `body` is null where it is not JSON. */
export type ServiceResponse = { status: number; retryAfterMs: number; body: unknown }

/** Sends one request to the service, with a timeout; `null` without a response. Never rejects. */
export async function callService<Operation extends keyof Requests>(
  serviceTransport: ServiceTransport,
  operation: Operation,
  request: Requests[Operation],
  signal: AbortSignal,
  timeoutMs = 10_000,
): Promise<ServiceResponse | null> {
  if (signal.aborted) return null
  const attempt = new AbortController()
  const end = () => attempt.abort()
  signal.addEventListener('abort', end)
  sleep(timeoutMs, attempt.signal).then(end)
  try {
    const response = await serviceTransport(operation, request, attempt.signal)
    const text = await response.text()
    const seconds = Number(response.headers.get('retry-after')) || 1
    const retryAfterMs = Math.min(seconds, 60) * 1000
    return { status: response.status, retryAfterMs, body: parseJson(text) }
  } catch {
    return null
  } finally {
    signal.removeEventListener('abort', end)
    end()
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
