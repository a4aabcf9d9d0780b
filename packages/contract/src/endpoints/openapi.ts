import { z } from 'zod'
import { chains } from '../chains.ts'
import type { ErrorCode } from '../errors.ts'
import { alertSchema } from '../schemas/alert.ts'
import { authorizedPaymentIntentSchema, authorizeRequestSchema } from '../schemas/authorize.ts'
import { errorBodySchema } from '../schemas/errorBody.ts'
import { eventSchema } from '../schemas/events.ts'
import { type EventType, eventTypeSchema } from '../schemas/eventType.ts'
import { handoffRequestSchema, handoffSchema } from '../schemas/handoff.ts'
import * as lists from '../schemas/lists.ts'
import { attentionItemSchema } from '../schemas/merchant/attention.ts'
import * as returnOrigins from '../schemas/merchant/returnOrigin.ts'
import * as settings from '../schemas/merchant/settings.ts'
import { summarySchema } from '../schemas/merchant/summary.ts'
import { nothing } from '../schemas/nothing.ts'
import { createPaymentIntentSchema, limits, paymentIntentSchema } from '../schemas/paymentIntent.ts'
import * as paymentLinks from '../schemas/paymentLink.ts'
import * as receipts from '../schemas/receipt.ts'
import * as refunds from '../schemas/refund.ts'
import { resolvedPaymentIntentSchema, resolveRequestSchema } from '../schemas/resolve.ts'
import {
  retrievedPaymentIntentSchema,
  retrievedPaymentIntentWithLinksSchema,
} from '../schemas/retrieved.ts'
import { timelineEntrySchema, timelineSchema } from '../schemas/timeline.ts'
import { transferSchema } from '../schemas/transfer.ts'
import * as webhooks from '../schemas/webhookEndpoint.ts'
import { windows } from '../windows.ts'
import type { Endpoint } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { headerParametersOf, headersOf, repliesOf, webhookHeaders } from './openapiParts.ts'

const [unmatchedTransfer, owedPaymentIntent, waitingRefund, failingEndpoint] =
  attentionItemSchema.options

/** Each type of a timeline's entry. Without names, generators number them. */
const timelineEntries = Object.fromEntries(
  timelineEntrySchema.options.map((entry) => [
    camelCase(`Timeline_${entry.shape.type.value}`),
    entry,
  ]),
)

/** The schemas of the document by name. */
const schemas = {
  CreatePaymentIntent: createPaymentIntentSchema,
  PaymentIntent: paymentIntentSchema,
  ResolvePaymentIntent: resolveRequestSchema,
  ResolvedPaymentIntent: resolvedPaymentIntentSchema,
  AuthorizePaymentIntent: authorizeRequestSchema,
  AuthorizedPaymentIntent: authorizedPaymentIntentSchema,
  HandOffPaymentIntent: handoffRequestSchema,
  Handoff: handoffSchema,
  RetrievedPaymentIntent: retrievedPaymentIntentSchema,
  RetrievedPaymentIntentWithLinks: retrievedPaymentIntentWithLinksSchema,
  Receipt: receipts.receiptSchema,
  Timeline: timelineSchema,
  TimelineEntry: timelineEntrySchema,
  ...timelineEntries,
  ConfirmReceipt: receipts.confirmReceiptSchema,
  ConfirmedReceipt: receipts.confirmedReceiptSchema,
  PaymentIntentPage: lists.paymentIntentPageSchema,
  Event: eventSchema,
  EventPage: lists.eventPageSchema,
  Alert: alertSchema,
  AttentionItem: attentionItemSchema,
  AttentionTransfer: unmatchedTransfer,
  AttentionPaymentIntent: owedPaymentIntent,
  AttentionRefund: waitingRefund,
  AttentionWebhookEndpoint: failingEndpoint,
  AttentionPage: lists.attentionPageSchema,
  Transfer: transferSchema,
  TransferPage: lists.transferPageSchema,
  AssignTransfer: lists.assignTransferSchema,
  CreateRefund: refunds.createRefundSchema,
  UpdateRefund: refunds.updateRefundSchema,
  AuthorizeRefund: refunds.authorizeRefundSchema,
  ConfirmRefund: refunds.confirmRefundSchema,
  AttachRefund: refunds.attachRefundSchema,
  ResolveRefund: refunds.resolveRefundSchema,
  NameDestination: refunds.nameDestinationSchema,
  ResolvedRefund: refunds.resolvedRefundSchema,
  Refund: refunds.refundSchema,
  ListedRefund: refunds.listedRefundSchema,
  RefundPage: lists.refundPageSchema,
  CreatePaymentLink: paymentLinks.createPaymentLinkSchema,
  UpdatePaymentLink: paymentLinks.updatePaymentLinkSchema,
  PaymentLink: paymentLinks.paymentLinkSchema,
  PaymentLinkPage: lists.paymentLinkPageSchema,
  ResolvePaymentLink: paymentLinks.resolvePaymentLinkSchema,
  ResolvedPaymentLink: paymentLinks.resolvedPaymentLinkSchema,
  PayPaymentLink: paymentLinks.payPaymentLinkSchema,
  PaidPaymentLink: paymentLinks.paidPaymentLinkSchema,
  Summary: summarySchema,
  UpdateSettings: settings.updateSettingsSchema,
  Settings: settings.settingsSchema,
  CreateReturnOrigin: returnOrigins.createReturnOriginSchema,
  ReturnOrigin: returnOrigins.returnOriginSchema,
  ReturnOriginPage: lists.returnOriginPageSchema,
  DeletedReturnOrigin: returnOrigins.deletedReturnOriginSchema,
  CreateWebhookEndpoint: webhooks.createWebhookEndpointSchema,
  UpdateWebhookEndpoint: webhooks.updateWebhookEndpointSchema,
  RotateWebhookSecret: webhooks.rotateWebhookSecretSchema,
  RecoverWebhookEndpoint: webhooks.recoverWebhookEndpointSchema,
  RedeliverEvent: webhooks.redeliverEventSchema,
  WebhookEndpoint: webhooks.webhookEndpointSchema,
  WebhookEndpointWithSecret: webhooks.webhookEndpointWithSecretSchema,
  WebhookEndpointPage: lists.webhookEndpointPageSchema,
  DeletedWebhookEndpoint: webhooks.deletedWebhookEndpointSchema,
  WebhookDelivery: webhooks.webhookDeliverySchema,
  WebhookAttempt: webhooks.webhookAttemptSchema,
  WebhookAttemptPage: lists.webhookAttemptPageSchema,
  WebhookDeliveryPage: lists.webhookDeliveryPageSchema,
  DeliveriesQueued: webhooks.deliveriesQueuedSchema,
  Error: errorBodySchema,
} as const satisfies Record<string, z.ZodType>

/** The schema of an event's `data.object`, by the part of its type before the dot. */
const subjects = {
  payment_intent: 'RetrievedPaymentIntent',
  transfer: 'Transfer',
  refund: 'ListedRefund',
  webhook_endpoint: 'WebhookEndpoint',
  alert: 'Alert',
} as const

/**
 * Generates the OpenAPI 3.1 document of the service from the table of endpoints and the schemas that the server uses.
 *
 * @param options.baseUrl the public URL of the service
 */
export function openapi(options: { baseUrl: string }): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [operationId, endpoint] of Object.entries<Endpoint>(endpoints)) {
    const { method, path } = endpoint
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(operationId, endpoint) }
  }
  const mainnets = chains.filter(({ mode }) => mode === 'mainnet').map(({ name }) => name)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payment Intents',
      version: '1.0.0',
      description: `USDC payments on ${new Intl.ListFormat('en').format(mainnets)}, straight into the merchant's own wallet.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: options.baseUrl }],
    paths,
    webhooks: Object.fromEntries(eventTypeSchema.options.map((type) => [type, webhook(type)])),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'API Key' },
      },
      schemas: generated(),
    },
  }
}

function operation(operationId: string, endpoint: Endpoint) {
  const { auth, body, query, object, summary, description } = endpoint
  const parameters = [
    ...(object ? [{ ...inPath, description: `Id of the ${object}.` }] : []),
    ...(query ? queryParameters(query) : []),
    ...headerParametersOf(endpoint),
  ]
  return {
    operationId,
    summary,
    ...(description ? { description } : {}),
    security: auth === 'api_key' ? [{ apiKey: [] }] : [],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body && body !== nothing
      ? {
          requestBody: {
            description: `At most ${(endpoint.bodyBytes ?? limits.requestBytes) / 1024} KiB.`,
            required: !endpoint.isBodyOptional,
            content: contentOf(body),
          },
        }
      : {}),
    responses: {
      200: {
        description: summary,
        headers: headersOf(endpoint),
        content: endpoint.streams
          ? { [endpoint.streams]: { schema: { type: 'string' } } }
          : contentOf(endpoint.response),
      },
      ...repliesOf(errorsOf(endpoint), endpoint, contentOf(errorBodySchema)),
    },
  }
}

/** Every error of the endpoint. */
function errorsOf({ auth, object, body, query, errors = [] }: Endpoint): ErrorCode[] {
  const ofKey = ['api_key_missing', 'api_key_invalid', 'forbidden', 'merchant_not_found'] as const
  return [
    ...(body || query ? (['invalid_body'] as const) : []),
    ...(auth === 'api_key' ? ofKey : []),
    ...(object ? (['not_found'] as const) : []),
    ...errors,
    ...(['rate_limited', 'internal_error'] as const),
  ]
}

/** One webhook for each type of event, so that a generated receiver knows its `data.object`. */
function webhook(type: EventType) {
  const [subject] = type.split('.') as [keyof typeof subjects]
  const object = { $ref: reference(subjects[subject]) }
  const data = { type: 'object', required: ['object'], properties: { object } }
  const operation = { type: 'object', properties: { type: { const: type }, data } }
  const schema = { allOf: [{ $ref: reference('Event') }, operation] }
  return {
    post: {
      operationId: camelCase(type),
      summary: `An event of type ${type}`,
      // Your endpoint has no API key of the service: the signature in the headers proves the sender.
      security: [],
      parameters: webhookHeaders,
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: {
        '2XX': {
          description: `The event was received. Any other response, or none within ${windows.webhookResponse} s, is retried.`,
        },
      },
    },
  }
}

/** `payment_intent.succeeded` as `paymentIntentSucceeded`. */
function camelCase(name: string): string {
  return name.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase())
}

const inPath = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }

function nameOf(schema: z.ZodType): string {
  const entry = Object.entries<z.ZodType>(schemas).find(([, named]) => named === schema)
  if (!entry) throw new Error('A schema of an endpoint has no name in `schemas` of openapi.ts.')
  return entry[0]
}

/** A reference to a schema of the document. */
function reference(schema: string): string {
  return `#/components/schemas/${schema}`
}

function contentOf(schema: z.ZodType) {
  return { 'application/json': { schema: { $ref: reference(nameOf(schema)) } } }
}

type JsonSchema = { [property: string]: unknown }

function generated(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries<z.ZodType>(schemas)) registry.add(schema, { id })
  const all = z.toJSONSchema(registry, { uri: reference }).schemas
  return Object.fromEntries(
    Object.entries(all).map(([id, { $schema, $id, ...schema }]) => [id, tidy(schema)]),
  )
}

/** The query parameters that a strict object schema describes. */
function queryParameters(schema: z.ZodObject): JsonSchema[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' })
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = tidy(property) as JsonSchema
    // `metadata[key]=value`
    const nested = rest.type === 'object' ? { style: 'deepObject', explode: true } : {}
    return {
      ...{ name, in: 'query' },
      ...(description ? { description } : {}),
      ...(required.includes(name) ? { required: true } : {}),
      ...{ ...nested, schema: rest },
    }
  })
}

const int32 = 2 ** 31 - 1

/** Adapts a schema to code generators: integers have a size, null is a type, no pattern beside a format. */
function tidy<Node>(node: Node): Node {
  if (Array.isArray(node)) return node.map(tidy) as Node
  if (typeof node !== 'object' || node === null) return node
  const copy: JsonSchema = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, tidy(value)]),
  )
  if (copy.type === 'number' && copy.multipleOf === 1) {
    copy.type = 'integer'
    delete copy.multipleOf
  }
  if (copy.type === 'integer') {
    copy.format = Number(copy.maximum ?? Infinity) > int32 ? 'int64' : 'int32'
  } else if (copy.type === 'string' && copy.format) {
    delete copy.pattern
  }
  const [first, second, ...more] = (copy.anyOf as JsonSchema[] | undefined) ?? []
  const isNullable = second?.type === 'null' && typeof first?.type === 'string' && more.length === 0
  if (!isNullable) return copy as Node
  delete copy.anyOf
  return { ...first, ...copy, type: [first.type, 'null'] } as Node
}
