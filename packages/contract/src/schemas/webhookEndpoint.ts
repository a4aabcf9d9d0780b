import { z } from 'zod'
import { eventTypeSchema } from './eventType.ts'
import { limits, modeSchema } from './paymentIntent.ts'
import { responseObject } from './responseObject.ts'
import { timeSchema } from './time.ts'

const url = z
  .url({ protocol: /^https?$/, error: 'must be an https URL' })
  .max(2048)
  .meta({
    description: 'URL that events are posted to; `https` in live mode, without credentials.',
  })
const enabledEvents = z.array(eventTypeSchema).min(1).nullable().meta({
  description: 'The types that are sent; null for all, those added later included.',
})
const description = z.string().max(500)

/** Body of `POST /v1/webhook_endpoints`. Unknown properties are refused. */
export const createWebhookEndpointSchema = z.strictObject({
  url,
  enabled_events: enabledEvents.optional(),
  description: description.optional(),
})

/** Body of `PATCH /v1/webhook_endpoints/{id}`; omitted fields stay unchanged. */
export const updateWebhookEndpointSchema = z.strictObject({
  url: url.optional(),
  enabled_events: enabledEvents.optional(),
  description: description.optional(),
  status: z.enum(['enabled', 'disabled']).optional().meta({
    description:
      'Enabling it again also forgets its failures; `recover` sends the events that it missed.',
  }),
})

/** Body of `POST /v1/webhook_endpoints/{id}/rotate_secret`. */
export const rotateWebhookSecretSchema = z.strictObject({
  overlap_hours: z.int().min(0).max(168).optional().meta({
    description: 'For how long deliveries are signed with the old secret too; 24 by default.',
  }),
})

/** Body of `POST /v1/webhook_endpoints/{id}/recover`. */
export const recoverWebhookEndpointSchema = z.strictObject({
  since: timeSchema.meta({
    description:
      '`recover` sends the events since this time that were not delivered; at most 30 days ago.',
  }),
})

/** Body of `POST /v1/events/{id}/redeliver`. */
export const redeliverEventSchema = z.strictObject({
  webhook_endpoint: z
    .string()
    .max(100)
    .regex(/^\w+$/, 'must be the id of a webhook endpoint')
    .optional()
    .meta({ description: 'Only to this endpoint; to every enabled one by default.' }),
})

export const webhookEndpointSchema = responseObject({
  id: z.string().meta({ description: '`we_` and 30 characters.' }),
  url: z.string(),
  description: z.string(),
  enabled_events: z.array(z.string()).nullable(),
  mode: modeSchema,
  status: z.string().meta({ description: '`enabled` or `disabled`; accept values added later.' }),
  disabled_reason: z.string().nullable().meta({
    description:
      '`merchant`, `gone` (it responded with 410) or `failing` (no delivery succeeded for five days); null while it is enabled.',
  }),
  failing_since: timeSchema.nullable().meta({
    description: 'Since when nothing has got through; null when the latest delivery did.',
  }),
  created_at: timeSchema,
})

/** A webhook endpoint with its signing secret. Only creation and rotation return it. */
export const webhookEndpointWithSecretSchema = webhookEndpointSchema.extend({
  secret: z.string().meta({ description: '`whsec_` and base64 (Standard Webhooks).' }),
})

/** The delivery of one event to one endpoint. */
export const webhookDeliverySchema = responseObject({
  event: z.string(),
  event_type: z.string(),
  status: z.string().meta({
    description:
      '`pending`, `succeeded` or `failed`, after the last try; accept values added later.',
  }),
  attempts: z.int(),
  last_attempt_at: timeSchema.nullable(),
  next_attempt_at: timeSchema.nullable(),
  response_status: z.int().nullable().meta({ description: 'HTTP status of the latest response.' }),
  error: z.string().nullable().meta({
    description: 'The reason for a missing response, as a sentence; null after a response.',
  }),
})

/** Why an attempt has no response. */
export const webhookErrorCodeSchema = z.enum([
  'timeout',
  'host_not_found',
  'address_refused',
  'connection_refused',
  'connection_broken',
  'certificate_refused',
])

/** One attempt of a delivery. */
export const webhookAttemptSchema = responseObject({
  id: z.string().meta({ description: '`att_` and 30 characters, ordered by time.' }),
  event: z.string(),
  event_type: z.string(),
  created_at: timeSchema.meta({ description: 'When the attempt began.' }),
  duration_ms: z.int(),
  response_status: z.int().nullable().meta({ description: 'null: there was no response.' }),
  response_body: z
    .string()
    .nullable()
    .meta({
      description: `The first ${limits.webhookResponseBytes} bytes as text, without control characters; null: there was no response. It is the receiver's: show it as text, never as HTML.`,
    }),
  error_code: z
    .string()
    .nullable()
    .meta({
      description: `Why there was no response: one of ${webhookErrorCodeSchema.options.join(', ')}; accept values added later. null: there was one.`,
    }),
  error: z.string().nullable().meta({ description: 'The same as a sentence.' }),
})

/** Response of `DELETE /v1/webhook_endpoints/{id}`. */
export const deletedWebhookEndpointSchema = responseObject({
  id: z.string(),
  deleted: z.literal(true),
})

/** The number of deliveries that a request has queued. */
export const deliveriesQueuedSchema = responseObject({ deliveries: z.int() })

export type CreateWebhookEndpoint = z.input<typeof createWebhookEndpointSchema>
export type UpdateWebhookEndpoint = z.input<typeof updateWebhookEndpointSchema>
export type RotateWebhookSecret = z.input<typeof rotateWebhookSecretSchema>
export type RecoverWebhookEndpoint = z.input<typeof recoverWebhookEndpointSchema>
export type RedeliverEvent = z.input<typeof redeliverEventSchema>
export type WebhookEndpoint = z.output<typeof webhookEndpointSchema>
export type WebhookEndpointWithSecret = z.output<typeof webhookEndpointWithSecretSchema>
export type DeletedWebhookEndpoint = z.output<typeof deletedWebhookEndpointSchema>
export type WebhookDelivery = z.output<typeof webhookDeliverySchema>
export type WebhookErrorCode = z.infer<typeof webhookErrorCodeSchema>
export type WebhookAttempt = z.output<typeof webhookAttemptSchema>
export type DeliveriesQueued = z.output<typeof deliveriesQueuedSchema>
