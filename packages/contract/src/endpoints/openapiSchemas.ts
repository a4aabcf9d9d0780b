import { z } from 'zod'
import { alertSchema } from '../schemas/alert.ts'
import { authorizedPaymentIntentSchema, authorizeRequestSchema } from '../schemas/authorize.ts'
import { errorBodySchema } from '../schemas/errorBody.ts'
import { eventSchema } from '../schemas/events.ts'
import { handoffRequestSchema, handoffSchema } from '../schemas/handoff.ts'
import * as lists from '../schemas/lists.ts'
import { attentionItemSchema } from '../schemas/merchant/attention.ts'
import * as returnOrigins from '../schemas/merchant/returnOrigin.ts'
import * as settings from '../schemas/merchant/settings.ts'
import { summarySchema } from '../schemas/merchant/summary.ts'
import { createPaymentIntentSchema, paymentIntentSchema } from '../schemas/paymentIntent.ts'
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

type JsonSchema = { [property: string]: unknown }

/** The JSON schemas of the document by name. */
export function componentSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries<z.ZodType>(schemas)) registry.add(schema, { id })
  const all = z.toJSONSchema(registry, { uri: reference }).schemas
  return Object.fromEntries(
    Object.entries(all).map(([id, { $schema, $id, ...schema }]) => [id, tidy(schema)]),
  )
}

/** The query parameters that a strict object schema describes. */
export function queryParameters(schema: z.ZodObject): JsonSchema[] {
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

export function contentOf(schema: z.ZodType) {
  return { 'application/json': { schema: { $ref: reference(nameOf(schema)) } } }
}

/** A reference to a schema of the document. */
export function reference(schema: string): string {
  return `#/components/schemas/${schema}`
}

/** `payment_intent.succeeded` as `paymentIntentSucceeded`. */
export function camelCase(name: string): string {
  return name.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase())
}

function nameOf(schema: z.ZodType): string {
  const entry = Object.entries<z.ZodType>(schemas).find(([, named]) => named === schema)
  if (!entry) throw new Error('An endpoint has a schema that openapiSchemas.ts does not name.')
  return entry[0]
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
