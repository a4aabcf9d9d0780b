import { z } from 'zod'
import { errorBodySchema } from './errorBody.ts'
import { eventSchema } from './events.ts'
import {
  assignTransferSchema,
  eventPageSchema,
  paymentIntentPageSchema,
  transferPageSchema,
  webhookDeliveryPageSchema,
  webhookEndpointPageSchema,
} from './lists.ts'
import { merchantOperations } from './openapiMerchant.ts'
import { answer, body, errors, reference, retryAfter, unavailable } from './openapiParts.ts'
import { createPaymentIntentSchema, limits, paymentIntentSchema } from './paymentIntent.ts'
import { resolvedPaymentIntentSchema, resolveRequestSchema } from './resolve.ts'
import { retrievedPaymentIntentSchema } from './retrieved.ts'
import { transferSchema } from './transfer.ts'
import {
  createWebhookEndpointSchema,
  deletedWebhookEndpointSchema,
  deliveriesQueuedSchema,
  recoverWebhookEndpointSchema,
  redeliverEventSchema,
  rotateWebhookSecretSchema,
  updateWebhookEndpointSchema,
  webhookDeliverySchema,
  webhookEndpointSchema,
  webhookEndpointWithSecretSchema,
} from './webhookEndpoint.ts'

/**
 * The OpenAPI 3.1 document of the service, generated from the schemas that the server parses with.
 *
 * @param options.baseUrl where the service answers, as merchants reach it
 */
export function openapi(options: { baseUrl: string }): Record<string, unknown> {
  const merchant = merchantOperations()
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payment Intents',
      version: '1.0.0',
      summary: "USDC payments on Base and Polygon, straight into the merchant's own wallet.",
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: options.baseUrl }],
    paths: {
      ...merchant,
      '/v1/payment_intents': {
        ...merchant['/v1/payment_intents'],
        post: {
          operationId: 'createPaymentIntent',
          summary: 'Create a payment intent',
          description: "From the merchant's backend only: an API key must never reach a browser.",
          security: [{ apiKey: [] }],
          parameters: [
            {
              name: 'Idempotency-Key',
              in: 'header',
              description: 'Repeating a request with its key returns the first answer. Kept 24 h.',
              schema: {
                type: 'string',
                minLength: 1,
                maxLength: limits.idempotencyKeyLength,
                pattern: '^[ -~]+$',
              },
            },
          ],
          requestBody: body('CreatePaymentIntent'),
          responses: {
            200: answer('The payment intent', 'PaymentIntent', {
              'Idempotent-Replayed': {
                description: '`true` when this is the stored answer of an earlier request.',
                schema: { type: 'string', const: 'true' },
              },
            }),
            ...errors(
              [
                'invalid_body',
                'wallet_invalid',
                'api_key_missing',
                'api_key_invalid',
                'merchant_not_found',
                'rate_limited',
                'conflict',
                'internal_error',
              ],
              { conflict: { 'Retry-After': retryAfter, 'X-Should-Retry': shouldRetry } },
            ),
          },
        },
      },
      '/v1/payment_intents/resolve': {
        post: {
          operationId: 'resolvePaymentIntent',
          summary: 'What the checkout knows of a payment intent',
          description:
            'Called by the browser from any origin; the JSON may be sent as `text/plain`, which needs no preflight. With `after_version` the answer is held until something changed.',
          security: [],
          requestBody: body('ResolvePaymentIntent'),
          responses: {
            200: answer('The payment intent as it stands', 'ResolvedPaymentIntent'),
            ...errors(['invalid_body', 'intent_not_found', 'rate_limited', 'internal_error']),
            ...unavailable,
          },
        },
      },
    },
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'API Key' },
      },
      schemas: schemas(),
    },
  }
}

const shouldRetry = {
  description:
    '`true`, and with it `Retry-After`, when `reason` is `idempotency_key_in_flight`: sent again, the same request is answered once the first one is done.',
  schema: { type: 'string', const: 'true' },
}

function schemas(): Record<string, unknown> {
  const registry = z.registry<{ id: string }>()
  registry.add(createPaymentIntentSchema, { id: 'CreatePaymentIntent' })
  registry.add(paymentIntentSchema, { id: 'PaymentIntent' })
  registry.add(resolveRequestSchema, { id: 'ResolvePaymentIntent' })
  registry.add(resolvedPaymentIntentSchema, { id: 'ResolvedPaymentIntent' })
  registry.add(retrievedPaymentIntentSchema, { id: 'RetrievedPaymentIntent' })
  registry.add(paymentIntentPageSchema, { id: 'PaymentIntentPage' })
  registry.add(eventSchema, { id: 'Event' })
  registry.add(eventPageSchema, { id: 'EventPage' })
  registry.add(transferSchema, { id: 'Transfer' })
  registry.add(transferPageSchema, { id: 'TransferPage' })
  registry.add(assignTransferSchema, { id: 'AssignTransfer' })
  registry.add(createWebhookEndpointSchema, { id: 'CreateWebhookEndpoint' })
  registry.add(updateWebhookEndpointSchema, { id: 'UpdateWebhookEndpoint' })
  registry.add(rotateWebhookSecretSchema, { id: 'RotateWebhookSecret' })
  registry.add(recoverWebhookEndpointSchema, { id: 'RecoverWebhookEndpoint' })
  registry.add(redeliverEventSchema, { id: 'RedeliverEvent' })
  registry.add(webhookEndpointSchema, { id: 'WebhookEndpoint' })
  registry.add(webhookEndpointWithSecretSchema, { id: 'WebhookEndpointWithSecret' })
  registry.add(webhookEndpointPageSchema, { id: 'WebhookEndpointPage' })
  registry.add(deletedWebhookEndpointSchema, { id: 'DeletedWebhookEndpoint' })
  registry.add(webhookDeliverySchema, { id: 'WebhookDelivery' })
  registry.add(webhookDeliveryPageSchema, { id: 'WebhookDeliveryPage' })
  registry.add(deliveriesQueuedSchema, { id: 'DeliveriesQueued' })
  registry.add(errorBodySchema, { id: 'Error' })
  const generated = z.toJSONSchema(registry, {
    uri: reference,
    override({ zodSchema, jsonSchema }) {
      // Its pattern repeats the calendar; the format says the same in a word.
      if (zodSchema._zod.def.type === 'string' && jsonSchema.format) delete jsonSchema.pattern
    },
  }).schemas
  return Object.fromEntries(
    Object.entries(generated).map(([id, { $schema, $id, ...schema }]) => [id, schema]),
  )
}
