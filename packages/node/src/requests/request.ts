import { createFetch, FetchError } from 'ofetch'
import { readText } from '../transport/readText.ts'
import { userAgent } from './userAgent.ts'

type Request = {
  readonly fetch: typeof globalThis.fetch
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers: Headers
  readonly body: string | undefined
  /** Milliseconds until the answer, including its body, must be complete. */
  readonly timeout: number
  readonly signal: AbortSignal | undefined
}

export type Answer = {
  readonly status: number
  readonly headers: Pick<Headers, 'get'>
  readonly text: string
}

export type Outcome =
  | { readonly type: 'answered'; readonly answer: Answer }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'timed_out' }
  | { readonly type: 'aborted' }

/** Sends a request once. Never rejects, and times out even if `fetch` ignores its signal. */
export function request(request: Request): Promise<Outcome> {
  return new Promise((resolve) => {
    const controller = new AbortController()
    const settle = (outcome: Outcome) => {
      clearTimeout(timer)
      request.signal?.removeEventListener('abort', abort)
      resolve(outcome)
    }
    const cut = (type: 'timed_out' | 'aborted') => {
      settle({ type })
      controller.abort()
    }
    const abort = () => cut('aborted')
    const timer = setTimeout(() => cut('timed_out'), request.timeout)
    if (request.signal?.aborted) return abort()
    request.signal?.addEventListener('abort', abort)
    exchange(request, controller.signal).then(
      (answer) => settle({ type: 'answered', answer }),
      (error) => settle({ type: 'failed', error: unwrap(error) }),
    )
  })
}

async function exchange(request: Request, signal: AbortSignal): Promise<Answer> {
  // The caller's own goes first, as a proxy may require.
  if (!request.headers.has('user-agent')) request.headers.set('user-agent', userAgent)
  const response = await createFetch({ fetch: request.fetch }).raw(request.url, {
    method: request.method,
    headers: request.headers,
    ...(request.body === undefined ? {} : { body: request.body }),
    signal,
    // A redirect could send the body and the key to a host that is not configured.
    redirect: 'manual',
    responseType: 'stream',
    ignoreResponseError: true,
    retry: false,
  })
  return {
    status: response.status,
    headers: readHeaders(response.headers),
    text: response.body ? await textOf(response) : '',
  }
}

/** The Node.js transport and test doubles have no stream. */
function textOf(response: Response): Promise<string> {
  const { body } = response
  return body && 'getReader' in body ? readText(body) : response.text()
}

const headersThatCount = [
  'content-type',
  'payment-intent-status',
  'payment-required',
  'payment-response',
  'retry-after',
  'x-request-id',
  'x-should-retry',
]

/** Reads headers here, where an exception counts as a failure of `fetch`, such as a test double without headers. */
function readHeaders(headers: Pick<Headers, 'get'> | undefined): Pick<Headers, 'get'> {
  if (!headers) throw new TypeError('fetch gave an answer without headers')
  const values = new Map(headersThatCount.map((name) => [name, headers.get(name)]))
  return { get: (name) => values.get(name) ?? null }
}

/** ofetch's own error contains the request headers, and with them the API key. */
function unwrap(error: unknown): unknown {
  return error instanceof FetchError ? error.cause : error
}
