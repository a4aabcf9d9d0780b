import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { errorCode } from '@payment-intents/contract/redact'
import { userAgent } from '../version.ts'

type Delivery = {
  readonly url: URL
  readonly headers: Record<string, string>
  readonly body: string
  /** Milliseconds. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export type Outcome =
  | {
      readonly type: 'responded'
      readonly status: number
      /** The target of a redirect. */
      readonly location: string | undefined
      /** The start of an error's body. */
      readonly text: string
      /** Milliseconds until the status arrived. */
      readonly ms: number
    }
  /** `code`: the error code, such as `ECONNREFUSED`, or else the message. */
  | { readonly type: 'failed'; readonly code: string; readonly ms: number }
  | { readonly type: 'timed_out'; readonly ms: number }

/** The number of characters kept of an error's body. */
const textLimit = 4096

/**
 * Posts once, on a new connection: a handler in development restarts often. Does not use `fetch`, which refuses some
 * ports that developers use.
 */
export function forward({ url, headers, body, timeoutMs, signal }: Delivery): Promise<Outcome> {
  return new Promise((resolve) => {
    const startedAt = performance.now()
    const elapsed = () => Math.round(performance.now() - startedAt)
    let text = ''
    let onResponse: (() => void) | undefined
    const giveUp = (outcome: Outcome) => (onResponse ? onResponse() : resolve(outcome))
    const timer = setTimeout(() => {
      giveUp({ type: 'timed_out', ms: elapsed() })
      request.destroy()
    }, timeoutMs)
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const request = send(url, {
      method: 'POST',
      agent: false,
      // The headers that the service sends: firewalls reject requests without them.
      headers: {
        ...{ 'content-type': 'application/json', accept: '*/*', 'user-agent': userAgent },
        ...headers,
      },
      signal,
    })
    request.on('error', (error) => {
      giveUp({ type: 'failed', code: errorCode(error) ?? error.message, ms: elapsed() })
    })
    // The body of a success may never end.
    request.on('close', () => clearTimeout(timer))
    request.on('response', (response) => {
      const { statusCode: status = 0, headers } = response
      const head = { type: 'responded', status, location: headers.location, ms: elapsed() } as const
      // The status decides, even if the body breaks off.
      onResponse = () => resolve({ ...head, text: text.slice(0, textLimit) })
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        if (text.length >= textLimit) response.destroy()
      })
      response.on('error', onResponse)
      response.on('close', onResponse)
      if (status >= 200 && status <= 299) onResponse()
    })
    request.end(body)
  })
}
