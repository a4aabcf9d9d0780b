import type { request } from 'node:http'
import { readText, responseLimit, tooLong } from './readText.ts'

type Fetch = typeof globalThis.fetch
export type Init = { method: string; headers: Headers; body?: string; signal: AbortSignal }
type Fetched = Pick<Response, 'status' | 'text'> & { headers: Pick<Headers, 'get'>; body: object }

const fetchAtLoad = globalThis.fetch

/**
 * `globalThis.fetch`, looked up at each call so that later replacements (mocks, tracers) take effect. Unless it was
 * replaced, requests on Node.js use `node:http` instead, which takes a fraction of its CPU time.
 */
export const defaultFetch = ((url: string, init: Init) => {
  const http = globalThis.fetch === fetchAtLoad ? nodeHttp(url) : undefined
  return http ? httpFetch(http, url, init) : globalThis.fetch(url, init)
}) as Fetch

/** Returns a `fetch` whose response can be read piece by piece; the default `fetch` reads the whole response. */
export function streamingFetch(fetch: Fetch): Fetch {
  return fetch === defaultFetch ? globalThis.fetch : fetch
}

/** Not imported, so that other runtimes' bundles need not exclude it. `getBuiltinModule` needs Node.js 20.16. */
function nodeHttp(url: string) {
  const { process } = globalThis
  // Bun, Deno and workers have a `process` like that of Node.js.
  const { uv, bun, deno } = process?.versions ?? {}
  if (!uv || bun || deno) return undefined
  return process.getBuiltinModule?.(url.startsWith('https:') ? 'node:https' : 'node:http')
}

/** `fetch` that reads the whole response, so that no connection waits for a reader, and follows no redirects. */
export function httpFetch(http: { request: typeof request }, url: string, init: Init) {
  const { method, headers, body, signal } = init
  return new Promise<Fetched>((resolve, reject) => {
    signal.throwIfAborted()
    // With the caller's length, the caller and `request` could disagree where the request ends.
    if (headers.has('content-length') || headers.has('transfer-encoding'))
      throw new TypeError('content-length and transfer-encoding cannot be set')
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const { hostname, port, pathname, search } = new URL(url)
    const host = hostname.replace(/^\[|\]$/g, '')
    const sent = http.request({
      ...{ method, host, port, path: pathname + search },
      headers: { ...Object.fromEntries(headers), 'accept-encoding': 'identity', ...length },
    })
    const abort = () => fail(signal.reason, signal.reason)
    const fail = (cause: unknown, error: unknown = new TypeError('fetch failed', { cause })) => {
      signal.removeEventListener('abort', abort)
      reject(error)
      sent.destroy()
    }
    signal.addEventListener('abort', abort)
    sent.on('error', fail)
    sent.on('upgrade', () => fail(new Error('the server switched protocols')))
    sent.on('response', (response) => {
      const chunks: Uint8Array[] = []
      let received = 0
      response.on('error', fail)
      response.on('data', (chunk: Uint8Array) => {
        received += chunk.length
        if (received > responseLimit) fail(undefined, tooLong())
        else chunks.push(chunk)
      })
      response.on('end', () => {
        signal.removeEventListener('abort', abort)
        const bytes = Buffer.concat(chunks)
        const get = (name: string) => response.headers[name]?.toString() ?? null
        const text = () => decode(bytes, get('content-encoding'))
        resolve({ status: Number(response.statusCode), headers: { get }, body: bytes, text })
      })
    })
    sent.end(body)
  })
}

/** No encoding was requested, but some proxies compress anyway. */
async function decode(bytes: Uint8Array<ArrayBuffer>, coding: string | null): Promise<string> {
  const isEncoded = bytes.length > 0 && (coding === 'gzip' || coding === 'deflate')
  if (!isEncoded) return new TextDecoder().decode(bytes)
  return readText(new Blob([bytes]).stream().pipeThrough(new DecompressionStream(coding)))
}
