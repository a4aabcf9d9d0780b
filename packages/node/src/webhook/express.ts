import { handleWebhook, type OnEvent, type WebhookHandlerOptions } from './handleWebhook.ts'
import { readBody } from './readBody.ts'
import type { WebhookHeaders } from './signedHeaders.ts'

export type { OnEvent, WebhookHandlerOptions }

/** As much of Node's `IncomingMessage` as is needed, and where parsers leave the body. */
type NodeRequest = AsyncIterable<Uint8Array> & {
  readonly headers: WebhookHeaders
  readonly readableDidRead: boolean
  readonly readableEnded: boolean
  readonly body?: unknown
  readonly rawBody?: unknown
}

/** As much of Node's `ServerResponse`. */
type NodeResponse = {
  readonly headersSent: boolean
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(body: string): unknown
}

/**
 * An Express handler that takes webhooks: verifies each, hands its event to yours, and answers 200 once that is done,
 * 400 when the signature is wrong, and 500 when yours throws, so that the service delivers it again. Fits whatever
 * else hands out Node's own request and response.
 *
 * Mount it before `express.json()`, which would parse the body that the signature covers. Bytes that a parser kept are
 * used: of `express.raw()` and `express.text()`, or on `request.rawBody`.
 *
 * @example
 * ```ts
 * import { webhookHandler } from '@payment-intents/node/express'
 * import express from 'express'
 *
 * const app = express()
 * app.post(
 *   '/webhooks',
 *   webhookHandler(async (event) => {
 *     if (event.type === 'payment_intent.succeeded') console.log('ship', event.data.object.metadata)
 *   }),
 * )
 * app.use(express.json()) // For all other routes.
 * ```
 */
export function webhookHandler(
  onEvent: OnEvent,
  options: WebhookHandlerOptions = {},
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    const answer = await handleWebhook(rawBodyOf(request), request.headers, onEvent, options)
    // A time-out of the app was quicker.
    if (response.headersSent) return
    response.statusCode = answer.status
    response.setHeader('content-type', 'application/json')
    response.end(answer.body)
  }
}

function rawBodyOf(request: NodeRequest): unknown {
  const kept = [request.rawBody, request.body].find(isRaw)
  if (kept !== undefined) return kept
  // A parser was here: what it made of the body is told of in the error.
  if (request.readableDidRead || request.readableEnded) return request.body
  return readBody(request)
}

function isRaw(body: unknown): boolean {
  return typeof body === 'string' || ArrayBuffer.isView(body)
}
