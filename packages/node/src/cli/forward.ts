import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { errorCode } from '../redact.ts'

type Delivery = {
  readonly url: URL
  readonly headers: Record<string, string>
  readonly body: string
  /** Milliseconds until there must be an answer. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export type Outcome =
  | {
      readonly type: 'answered'
      readonly status: number
      /** Where a redirect leads. */
      readonly location: string | undefined
      /** The beginning of its body, if it is not a success. */
      readonly text: string
      /** Until its status was there. */
      readonly ms: number
    }
  /** `code`: the `ECONNREFUSED` of the failure, or else its message. */
  | { readonly type: 'unanswered'; readonly code: string; readonly ms: number }
  | { readonly type: 'timed_out'; readonly ms: number }

/** As much of an answer as may help to see what went wrong. */
const textLimit = 4096

/**
 * Posts once. On a connection of its own, since a handler in the making is restarted all the time, and not by
 * `fetch`, which refuses some ports that developers use.
 */
export function forward({ url, headers, body, timeoutMs, signal }: Delivery): Promise<Outcome> {
  return new Promise((resolve) => {
    const startedAt = performance.now()
    const elapsed = () => Math.round(performance.now() - startedAt)
    let text = ''
    let answered: (() => void) | undefined
    const giveUp = (outcome: Outcome) => (answered ? answered() : resolve(outcome))
    const timer = setTimeout(() => {
      giveUp({ type: 'timed_out', ms: elapsed() })
      request.destroy()
    }, timeoutMs)
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const request = send(url, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', ...headers },
      signal,
    })
    request.on('error', (error) => {
      giveUp({ type: 'unanswered', code: errorCode(error) ?? error.message, ms: elapsed() })
    })
    // Not before: the body of a success may go on without end.
    request.on('close', () => clearTimeout(timer))
    request.on('response', (response) => {
      const { statusCode: status = 0, headers } = response
      const head = { type: 'answered', status, location: headers.location, ms: elapsed() } as const
      // The status is the answer, however its body goes on.
      answered = () => resolve({ ...head, text: text.slice(0, textLimit) })
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        if (text.length >= textLimit) response.destroy()
      })
      response.on('error', answered)
      response.on('close', answered)
      if (status >= 200 && status <= 299) answered()
    })
    request.end(body)
  })
}
