import type { Metadata } from '@payment-intents/contract'
import { type OnEvent, type WebhookHandlerOptions, webhookReceiver } from './handleWebhook.ts'
import { bodyLimit, bodyTooLarge } from './readBody.ts'
import type { WebhookHeaders } from './verification/signedHeaders.ts'
import { WebhookVerificationError } from './verification/webhookVerificationError.ts'

export { paymentRequired } from '../x402/fastify.ts'
export type { PaymentRequiredOptions, PaymentTerms } from '../x402/terms.ts'
export type { OnEvent, WebhookHandlerOptions }

/** The part of a Fastify instance that is used. */
type FastifyScope = {
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    contentType: string,
    options: { parseAs: 'buffer' },
    parser: (request: unknown, body: Uint8Array, done: ParserCallback) => void,
  ): unknown
  post(path: string, options: RouteOptions, handler: Handler): unknown
}
type ParserCallback = (error: null, body: Uint8Array) => void
type RouteOptions = {
  bodyLimit: number
  errorHandler: (error: BodyError, request: FastifyRequest, reply: FastifyReply) => unknown
}
type BodyError = { readonly code: string; readonly message: string }
type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
type FastifyRequest = { readonly headers: WebhookHeaders; readonly body: unknown }
type FastifyReply = {
  code(status: number): { type(contentType: string): { send(body: string): unknown } }
}

/**
 * Creates a Fastify plugin with one route for webhooks. It verifies each delivery and passes its event to your handler.
 * It responds 200 once your handler is done, 400 if the signature is wrong, and 500 if your handler throws, so that the
 * service retries the delivery. Other routes keep their parsers.
 *
 * @param path of the route, `POST`
 * @throws WebhookVerificationError `option_invalid` for an unknown option
 * @example
 * ```ts
 * import { webhookRoute } from '@payment-intents/node/fastify'
 * import fastify from 'fastify'
 *
 * const app = fastify()
 * app.register(
 *   webhookRoute('/webhooks', async (event) => {
 *     if (event.type === 'payment_intent.succeeded') console.log('ship', event.data.object.metadata)
 *   }),
 * )
 * ```
 */
export function webhookRoute<M extends Metadata = Metadata>(
  path: string,
  onEvent: OnEvent<M>,
  options: WebhookHandlerOptions = {},
): (app: FastifyScope) => Promise<void> {
  const receive = webhookReceiver(onEvent, options)
  return async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    const take = async (rawBody: unknown, { headers }: FastifyRequest, reply: FastifyReply) => {
      const result = await receive(rawBody, headers)
      return reply.code(result.status).type('application/json').send(result.body)
    }
    const errorHandler: RouteOptions['errorHandler'] = (error, request, reply) =>
      take(Promise.reject(unreadBody(error)), request, reply)
    // Without a body Fastify calls no parser.
    app.post(path, { bodyLimit, errorHandler }, (request, reply) =>
      take(request.body ?? '', request, reply),
    )
  }
}

/** Converts Fastify's error of reading the body. Rethrows any other error for the app to handle. */
function unreadBody(error: BodyError): WebhookVerificationError {
  const { code, message } = error
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge()
  if (code !== 'ECONNRESET' && !`${code}`.startsWith('FST_ERR_CTP_')) throw error
  return new WebhookVerificationError('body_unreadable', `The body could not be read: ${message}`)
}
