import { type RawHeader, rawHeaders } from './rawHeaders.ts'
import { answerLimit, readText, tooLong } from './readText.ts'

/** The undici `Dispatcher` that Node's own `fetch` uses, in the first version of its interface. */
export type Dispatcher = { dispatch(options: DispatchOptions, handler: DispatchHandler): unknown }

type DispatchOptions = {
  readonly origin: string
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Milliseconds; 0 disables the timeout. */
  readonly headersTimeout: number
  readonly bodyTimeout: number
  readonly maxRedirections: number
}

type DispatchHandler = {
  onConnect(abort: (reason: unknown) => void): void
  /** Returning false pauses, as in `onData`. */
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

/** The part of a `Response` that is used here. */
export type Fetched = {
  readonly status: number
  readonly headers: Pick<Headers, 'get'>
  /** Only checked for presence. */
  readonly body: object
  text(): Promise<string>
}

/**
 * `fetch` without the overhead of the standard. Resolves once the whole answer has been read, so that no connection
 * waits for a reader. Follows no redirects; rejects as `fetch` does.
 */
export function dispatch(dispatcher: Dispatcher, address: string, init: Init): Promise<Fetched> {
  const { method, headers, body, signal } = init
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const { origin, pathname, search } = new URL(address)
    const options: DispatchOptions = {
      ...{ origin, path: pathname + search, method, body },
      headers: {
        ...Object.fromEntries(headers),
        'accept-encoding': 'identity',
      },
      // The signal sets the timeout.
      ...{ headersTimeout: 0, bodyTimeout: 0 },
      maxRedirections: 0,
    }
    let abortRequest: ((reason: unknown) => void) | undefined
    let answer = { status: 0, headers: rawHeaders([]) }
    const chunks: Uint8Array[] = []
    let length = 0
    const abort = () => {
      reject(signal.reason)
      // Before a connection exists there is nothing to abort; `onConnect` checks again.
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
        // Interim (1xx) answers precede the final one.
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

/** No encoding was requested, but some proxies compress anyway. */
async function decode(bytes: Buffer, coding: string | null): Promise<string> {
  if (bytes.length === 0 || (coding !== 'gzip' && coding !== 'deflate')) {
    return new TextDecoder().decode(bytes)
  }
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(coding))
  return readText(plain)
}
