import type { Metadata } from '@payment-intents/contract'
import { type OnEvent, type WebhookHandlerOptions, webhookReceiver } from './handleWebhook.ts'
import { readBody } from './readBody.ts'
import type { WebhookHeaders } from './verification/signedHeaders.ts'

export { paymentRequired } from '../x402/express.ts'
export type { PaymentRequiredOptions, PaymentTerms } from '../x402/terms.ts'
export type { OnEvent, WebhookHandlerOptions }

/** The part of Node's `IncomingMessage` that is used, and the properties in which parsers leave the body. */
type NodeRequest = AsyncIterable<Uint8Array> & {
  readonly headers: WebhookHeaders
  readonly readableDidRead: boolean
  readonly readableEnded: boolean
  readonly body?: unknown
  readonly rawBody?: unknown
}

/** The part of Node's `ServerResponse` that is used. */
type NodeResponse = {
  readonly headersSent: boolean
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(body: string): unknown
}

/**
 * Creates an Express handler for webhooks. It verifies each delivery and passes its event to your handler. It responds
 * 200 once your handler is done, 400 if the signature is wrong, and 500 if your handler throws, so that the service
 * retries the delivery. It works with any framework that passes Node's own request and response.
 *
 * Mount it before `express.json()`, which would parse the body that the signature covers. It accepts a raw body from
 * `express.raw()`, `express.text()` or `request.rawBody`.
 *
 * @throws WebhookVerificationError `option_invalid` for an unknown option
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
export function webhookHandler<M extends Metadata = Metadata>(
  onEvent: OnEvent<M>,
  options: WebhookHandlerOptions = {},
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  const receive = webhookReceiver(onEvent, options)
  return async (request, response) => {
    const result = await receive(rawBodyOf(request), request.headers)
    // The app's own timeout has responded.
    if (response.headersSent) return
    response.statusCode = result.status
    response.setHeader('content-type', 'application/json')
    response.end(result.body)
  }
}

function rawBodyOf(request: NodeRequest): unknown {
  const raw = [request.rawBody, request.body].find(isRaw)
  if (raw !== undefined) return raw
  // A parser has consumed the body: the error describes the parsed value.
  if (request.readableDidRead || request.readableEnded) return request.body
  return readBody(request)
}

function isRaw(body: unknown): boolean {
  return typeof body === 'string' || ArrayBuffer.isView(body)
}
