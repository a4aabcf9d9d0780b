import { createFetch, FetchError } from 'ofetch'
import { readText } from '../transport/readText.ts'
import { bounded } from './bounded.ts'
import { userAgent } from './userAgent.ts'

type Request = {
  readonly fetch: typeof globalThis.fetch
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers: Headers
  readonly body: string | undefined
  /** Milliseconds until the response, including its body, must be complete. */
  readonly timeout: number
  readonly signal: AbortSignal | undefined
  /** The media type of a successful response whose body the caller streams. */
  readonly streams?: string | undefined
}

export type HttpResponse = {
  readonly status: number
  readonly headers: Pick<Headers, 'get'>
  /** Empty if it is streamed. */
  readonly text: string
  readonly stream?: Stream
}

export type StreamedResponse = HttpResponse & { readonly stream: Stream }

/** A response whose body has not been read yet. */
type Stream = {
  readonly response: Response
  /** Ends the exchange. */
  readonly cut: () => void
}

export type Outcome =
  | { readonly type: 'responded'; readonly response: HttpResponse }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'timed_out' }
  | { readonly type: 'aborted' }

/** Sends a request once. Never rejects, and times out even if `fetch` ignores its signal. */
export async function request(request: Request): Promise<Outcome> {
  const controller = new AbortController()
  const cut = () => controller.abort()
  const { timeout, signal } = request
  const outcome = await bounded(() => exchange(request, controller), { timeout, signal, cut })
  if (outcome.type === 'done') return { type: 'responded', response: outcome.result }
  return outcome.type === 'failed' ? { type: 'failed', error: unwrap(outcome.error) } : outcome
}

async function exchange(request: Request, controller: AbortController): Promise<HttpResponse> {
  // The caller's own header takes precedence, since a proxy may require it.
  if (!request.headers.has('user-agent')) request.headers.set('user-agent', userAgent)
  const response = await createFetch({ fetch: request.fetch }).raw(request.url, {
    method: request.method,
    headers: request.headers,
    ...(request.body === undefined ? {} : { body: request.body }),
    signal: controller.signal,
    // A redirect could send the body and the key to a host that is not configured.
    redirect: 'manual',
    responseType: 'stream',
    ignoreResponseError: true,
    retry: false,
  })
  const { status } = response
  const headers = readHeaders(response.headers)
  if (isStreamed(request, status, headers)) {
    return { status, headers, text: '', stream: { response, cut: () => controller.abort() } }
  }
  return { status, headers, text: response.body ? await textOf(response) : '' }
}

function isStreamed(
  { streams }: Request,
  status: number,
  headers: HttpResponse['headers'],
): boolean {
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  return status === 200 && streams !== undefined && type === streams
}

/** The Node.js transport and test doubles have no stream. */
function textOf(response: Response): Promise<string> {
  const { body } = response
  return body && 'getReader' in body ? readText(body) : response.text()
}

const relevantHeaders = [
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
  if (!headers) throw new TypeError('fetch returned a response without headers')
  const values = new Map(relevantHeaders.map((name) => [name, headers.get(name)]))
  return { get: (name) => values.get(name) ?? null }
}

/** ofetch's own error contains the request headers, and with them the API key. */
function unwrap(error: unknown): unknown {
  return error instanceof FetchError ? error.cause : error
}
