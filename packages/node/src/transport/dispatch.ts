import { type RawHeader, rawHeaders } from './rawHeaders.ts'
import { answerLimit, readText, tooLong } from './readText.ts'

/** What Node's own `fetch` sends requests through: a `Dispatcher` of undici, in the first version of its interface. */
export type Dispatcher = { dispatch(options: DispatchOptions, handler: DispatchHandler): unknown }

type DispatchOptions = {
  readonly origin: string
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Milliseconds; 0 is without end. */
  readonly headersTimeout: number
  readonly bodyTimeout: number
  readonly maxRedirections: number
}

type DispatchHandler = {
  onConnect(abort: (reason: unknown) => void): void
  /** False would ask for a pause, as in `onData`. */
  onHeaders(status: number, headers: readonly RawHeader[] | null): boolean
  onData(chunk: Uint8Array): boolean
  onComplete(): void
  onError(error: unknown): void
}

export type Init = {
  readonly method: string
  readonly headers: Headers
  readonly body?: string
  readonly signal: AbortSignal
}

/** As much of a `Response` as is used here. */
export type Fetched = {
  readonly status: number
  readonly headers: Pick<Headers, 'get'>
  /** There is one: nothing else is asked of it. */
  readonly body: object
  text(): Promise<string>
}

/**
 * `fetch` without what the standard puts on top of a request. Resolves when the whole answer is there, so that no
 * connection waits for a reader; follows no redirect; rejects as `fetch` does.
 */
export function dispatch(dispatcher: Dispatcher, address: string, init: Init): Promise<Fetched> {
  const { method, headers, body, signal } = init
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const { origin, pathname, search } = new URL(address)
    const options: DispatchOptions = {
      ...{ origin, path: pathname + search, method, body },
      headers: {
        // Firewalls refuse requests that have none; this is the one of `fetch`.
        'user-agent': 'node',
        ...Object.fromEntries(headers),
        'accept-encoding': 'identity',
      },
      // The signal says when it has been long enough.
      ...{ headersTimeout: 0, bodyTimeout: 0 },
      maxRedirections: 0,
    }
    let abortRequest: ((reason: unknown) => void) | undefined
    let answer = { status: 0, headers: rawHeaders([]) }
    const chunks: Uint8Array[] = []
    let length = 0
    const abort = () => {
      reject(signal.reason)
      // Without a connection there is nothing to end yet: `onConnect` looks again.
      abortRequest?.(signal.reason)
    }
    const fail = (cause: unknown) => {
      signal.removeEventListener('abort', abort)
      reject(new TypeError('fetch failed', { cause }))
    }
    signal.addEventListener('abort', abort)
    try {
      dispatcher.dispatch(options, {
        onConnect(abortThis) {
          abortRequest = abortThis
          if (signal.aborted) abort()
        },
        // Interim answers come first, and then the one that counts.
        onHeaders(status, raw) {
          answer = { status, headers: rawHeaders(raw ?? []) }
          return true
        },
        onData(chunk) {
          length += chunk.length
          if (length > answerLimit) {
            reject(tooLong())
            abortRequest?.(tooLong())
          } else chunks.push(chunk)
          return true
        },
        onComplete() {
          signal.removeEventListener('abort', abort)
          const bytes = Buffer.concat(chunks)
          const coding = answer.headers.get('content-encoding')
          resolve({ ...answer, body: bytes, text: () => decode(bytes, coding) })
        },
        onError: fail,
      })
    } catch (error) {
      fail(error)
    }
  })
}

/** No coding was asked for, but not everything that stands in between cares. */
async function decode(bytes: Buffer, coding: string | null): Promise<string> {
  if (bytes.length === 0 || (coding !== 'gzip' && coding !== 'deflate')) {
    return new TextDecoder().decode(bytes)
  }
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(coding))
  return readText(plain)
}
