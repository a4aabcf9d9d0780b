import type { z } from 'zod'
import { authorizedPaymentIntentSchema, authorizeRequestSchema } from '../schemas/authorize.ts'
import { eventSchema } from '../schemas/events.ts'
import { handoffRequestSchema, handoffSchema } from '../schemas/handoff.ts'
import {
  assignTransferSchema,
  eventPageSchema,
  listEventsSchema,
  listPaymentIntentsSchema,
  listRefundsSchema,
  listTransfersSchema,
  listWebhookDeliveriesSchema,
  paymentIntentPageSchema,
  refundPageSchema,
  transferPageSchema,
  webhookDeliveryPageSchema,
  webhookEndpointPageSchema,
} from '../schemas/lists.ts'
import { nothing } from '../schemas/nothing.ts'
import { createPaymentIntentSchema, paymentIntentSchema } from '../schemas/paymentIntent.ts'
import { receiptSchema } from '../schemas/receipt.ts'
import {
  attachRefundSchema,
  authorizeRefundSchema,
  confirmRefundSchema,
  createRefundSchema,
  nameDestinationSchema,
  refundSchema,
  resolvedRefundSchema,
  resolveRefundSchema,
  updateRefundSchema,
} from '../schemas/refund.ts'
import { resolvedPaymentIntentSchema, resolveRequestSchema } from '../schemas/resolve.ts'
import {
  retrievedPaymentIntentSchema,
  retrievedPaymentIntentWithLinksSchema,
} from '../schemas/retrieved.ts'
import {
  createWebhookEndpointSchema,
  deletedWebhookEndpointSchema,
  deliveriesQueuedSchema,
  recoverWebhookEndpointSchema,
  redeliverEventSchema,
  rotateWebhookSecretSchema,
  updateWebhookEndpointSchema,
  webhookEndpointSchema,
  webhookEndpointWithSecretSchema,
} from '../schemas/webhookEndpoint.ts'
import type { Endpoint } from './endpoint.ts'

/** Every published endpoint, by its `operationId`. */
export const endpoints = {
  createPaymentIntent: {
    method: 'POST',
    path: '/v1/payment_intents',
    auth: 'api_key',
    body: createPaymentIntentSchema,
    answer: paymentIntentSchema,
    errors: ['wallet_invalid', 'conflict'],
    repeat: 'keyed',
    isKept: true,
    takesPayment: true,
    unavailable: 500,
    summary: 'Create a payment intent',
    description: "From the merchant's backend only: an API key must never reach a browser.",
  },
  listPaymentIntents: {
    method: 'GET',
    path: '/v1/payment_intents',
    auth: 'api_key',
    query: listPaymentIntentsSchema,
    answer: paymentIntentPageSchema,
    cursor: 'id',
    repeat: 'idempotent',
    summary: 'List payment intents, newest first',
  },
  resolvePaymentIntent: {
    method: 'POST',
    path: '/v1/payment_intents/resolve',
    auth: 'none',
    body: resolveRequestSchema,
    answer: resolvedPaymentIntentSchema,
    errors: ['intent_not_found'],
    repeat: 'idempotent',
    summary: 'Resolve a client secret, for the checkout',
    description:
      'Called by the browser from any origin; the JSON may be sent as `text/plain`, which needs no preflight. With `after_version` the answer is held until something changed.',
  },
  authorizePaymentIntent: {
    method: 'POST',
    path: '/v1/payment_intents/authorize',
    auth: 'none',
    body: authorizeRequestSchema,
    answer: authorizedPaymentIntentSchema,
    errors: ['intent_not_found', 'conflict'],
    // A nonce of an account counts once.
    repeat: 'idempotent',
    summary: 'Hand in the authorization of a payer without gas',
    description:
      'The message that `gasless` of resolve offers, signed by the payer (EIP-3009), from the browser as resolve. The service checks it, submits it and pays the gas; `authorization` of resolve tells what becomes of it. What is refused is a 409 `conflict` with a reason: `insufficient_token`, `address_blocked`, `token_paused`, `authorization_used`, `payment_in_flight`, `intent_expired`, `gasless_unavailable` or `illegal_state`; a wrong signature is a 400 `invalid_body` with reason `signature_invalid`.',
  },
  handOffPaymentIntent: {
    method: 'POST',
    path: '/v1/payment_intents/handoff',
    auth: 'none',
    body: handoffRequestSchema,
    answer: handoffSchema,
    errors: ['intent_not_found', 'conflict'],
    // Each answer has a link of its own, of which the newest five open.
    repeat: 'idempotent',
    summary: 'Get a link to the hosted page, for another device or browser',
    description:
      'Called by the browser from any origin; the JSON may be sent as `text/plain`, which needs no preflight. The link holds a token that opens the page once, and never the client secret. 409 `conflict` with reason `illegal_state` once the payment intent has ended.',
  },
  retrievePaymentIntent: {
    method: 'GET',
    path: '/v1/payment_intents/{id}',
    object: 'payment intent',
    auth: 'api_key',
    answer: retrievedPaymentIntentWithLinksSchema,
    repeat: 'idempotent',
    summary: 'Retrieve a payment intent',
  },
  retrieveReceipt: {
    method: 'GET',
    path: '/v1/payment_intents/{id}/receipt',
    object: 'payment intent',
    auth: 'api_key',
    answer: receiptSchema,
    errors: ['conflict'],
    repeat: 'idempotent',
    summary: 'Retrieve the receipt of a payment intent',
    description:
      'Proves to anyone that a payment on the chain was for this payment intent. 409 `conflict` with reason `illegal_state` until it has succeeded.',
  },
  cancelPaymentIntent: {
    method: 'POST',
    path: '/v1/payment_intents/{id}/cancel',
    object: 'payment intent',
    auth: 'api_key',
    body: nothing,
    isBodyOptional: true,
    answer: retrievedPaymentIntentSchema,
    errors: ['conflict'],
    repeat: 'keyed',
    summary: 'Cancel a payment intent',
    description:
      'Only while nothing was received, else 409 `conflict` with reason `illegal_state`; not while an authorization of the payer is in flight: reason `payment_in_flight`. One that is canceled already is answered as it is.',
  },
  acceptPaymentIntent: {
    method: 'POST',
    path: '/v1/payment_intents/{id}/accept',
    object: 'payment intent',
    auth: 'api_key',
    body: nothing,
    isBodyOptional: true,
    answer: retrievedPaymentIntentSchema,
    errors: ['conflict'],
    repeat: 'keyed',
    summary: 'Accept an underpaid or late payment',
    description:
      'Where there is nothing to accept, 409 `conflict` with reason `illegal_state`. One that is accepted already is answered as it is.',
  },
  listEvents: {
    method: 'GET',
    path: '/v1/events',
    auth: 'api_key',
    query: listEventsSchema,
    answer: eventPageSchema,
    cursor: 'id',
    repeat: 'idempotent',
    summary: 'List events, oldest first',
    description:
      'From 30 days ago, or from `starting_after` on. A reader that continues after the last event it has seen misses none.',
  },
  retrieveEvent: {
    method: 'GET',
    path: '/v1/events/{id}',
    object: 'event',
    auth: 'api_key',
    answer: eventSchema,
    repeat: 'idempotent',
    summary: 'Retrieve an event',
  },
  redeliverEvent: {
    method: 'POST',
    path: '/v1/events/{id}/redeliver',
    object: 'event',
    auth: 'api_key',
    body: redeliverEventSchema,
    isBodyOptional: true,
    answer: deliveriesQueuedSchema,
    errors: ['conflict'],
    // Receivers recognise repeated events.
    repeat: 'idempotent',
    summary: 'Send an event once more',
    description: 'To one enabled endpoint, or to all; also where it got through already.',
  },
  listTransfers: {
    method: 'GET',
    path: '/v1/transfers',
    auth: 'api_key',
    query: listTransfersSchema,
    answer: transferPageSchema,
    cursor: 'id',
    repeat: 'idempotent',
    summary: 'List transfers, newest first',
    description: 'Also those that are credited to no payment intent.',
  },
  assignTransfer: {
    method: 'POST',
    path: '/v1/transfers/{id}/assign',
    object: 'transfer',
    auth: 'api_key',
    body: assignTransferSchema,
    answer: retrievedPaymentIntentSchema,
    errors: ['conflict'],
    repeat: 'keyed',
    summary: 'Credit a transfer to a payment intent',
    description:
      'An unmatched transfer of the same chain and token, or one that is credited to another payment intent at the same wallet and that no state of it rests on: a second payment, a part, a late one. That one gets the event `payment_intent.transfer_moved`. Answers the payment intent. What paid a payment intent stays: 409 `conflict` with reason `illegal_state`.',
  },
  createRefund: {
    method: 'POST',
    path: '/v1/refunds',
    auth: 'api_key',
    body: createRefundSchema,
    answer: refundSchema,
    errors: ['not_found', 'wallet_invalid', 'conflict'],
    repeat: 'keyed',
    isKept: true,
    summary: 'Create a refund',
    description:
      'Reserves the amount; nothing is paid until a wallet of the merchant signs the refund, or a transfer is attached. 409 `conflict` with reason `amount_exceeds_refundable` for more than was received for good, less the refunds that are not canceled.',
  },
  listRefunds: {
    method: 'GET',
    path: '/v1/refunds',
    auth: 'api_key',
    query: listRefundsSchema,
    answer: refundPageSchema,
    cursor: 'id',
    repeat: 'idempotent',
    summary: 'List refunds, newest first',
  },
  resolveRefund: {
    method: 'POST',
    path: '/v1/refunds/resolve',
    auth: 'none',
    body: resolveRefundSchema,
    answer: resolvedRefundSchema,
    errors: ['not_found'],
    repeat: 'idempotent',
    summary: 'Resolve the token of a refund’s link, for its page',
    description:
      'Called by the page of the payer; the JSON may be sent as `text/plain`, which needs no preflight.',
  },
  nameRefundDestination: {
    method: 'POST',
    path: '/v1/refunds/destination',
    auth: 'none',
    body: nameDestinationSchema,
    answer: resolvedRefundSchema,
    errors: ['not_found', 'wallet_invalid', 'conflict'],
    repeat: 'idempotent',
    summary: 'Name the destination of a refund, as its payer',
    description:
      'With the signature of an account that paid at least the amount, the merchant can sign at once; any other destination waits for the merchant’s confirmation. 409 `conflict` with reason `illegal_state` once the destination is fixed; a wrong signature is a 400 `invalid_body` with reason `signature_invalid`.',
  },
  retrieveRefund: {
    method: 'GET',
    path: '/v1/refunds/{id}',
    object: 'refund',
    auth: 'api_key',
    answer: refundSchema,
    repeat: 'idempotent',
    summary: 'Retrieve a refund',
  },
  updateRefund: {
    method: 'PATCH',
    path: '/v1/refunds/{id}',
    object: 'refund',
    auth: 'api_key',
    body: updateRefundSchema,
    answer: refundSchema,
    errors: ['wallet_invalid', 'conflict'],
    repeat: 'idempotent',
    summary: 'Name the destination of a refund',
    description: 'Until it is signed: then 409 `conflict` with reason `refund_in_flight`.',
  },
  confirmRefund: {
    method: 'POST',
    path: '/v1/refunds/{id}/confirm',
    object: 'refund',
    auth: 'api_key',
    body: confirmRefundSchema,
    answer: refundSchema,
    errors: ['wallet_invalid', 'conflict'],
    repeat: 'idempotent',
    summary: 'Confirm the destination that a payer claims',
    description:
      'Ask the payer first, by a way other than the link. 409 `conflict` with reason `illegal_state` if the payer has named another destination since.',
  },
  authorizeRefund: {
    method: 'POST',
    path: '/v1/refunds/{id}/authorize',
    object: 'refund',
    auth: 'api_key',
    body: authorizeRefundSchema,
    answer: refundSchema,
    errors: ['wallet_invalid', 'conflict'],
    // A nonce of an account counts once.
    repeat: 'idempotent',
    summary: 'Pay a refund by a signature, without gas',
    description:
      'The `typed_data` of the refund, signed by one of the registered wallets of the merchant (EIP-3009). The service submits it and pays the gas. From then on nothing else can pay the refund until the signature has been used, or can be used no more. Refused with a 409 `conflict` and the reasons of a payment without gas, `amount_exceeds_refundable` if the chain took back what is to be refunded, or `refund_in_flight` for another account than the one that signed it.',
  },
  attachRefund: {
    method: 'POST',
    path: '/v1/refunds/{id}/attach',
    object: 'refund',
    auth: 'api_key',
    body: attachRefundSchema,
    answer: refundSchema,
    errors: ['conflict'],
    repeat: 'idempotent',
    summary: 'Pay a refund by a transfer that was made elsewhere',
    description:
      'By a Safe, a treasury or an exchange. The transaction has to hold a USDC transfer of exactly the amount to the destination, mined after the refund was created, that no other refund has: else 409 `conflict` with reason `transaction_not_found`, `transfer_mismatch` or `transfer_used`.',
  },
  cancelRefund: {
    method: 'POST',
    path: '/v1/refunds/{id}/cancel',
    object: 'refund',
    auth: 'api_key',
    body: nothing,
    isBodyOptional: true,
    answer: refundSchema,
    errors: ['conflict'],
    repeat: 'keyed',
    summary: 'Cancel a refund',
    description:
      'While no signature of it may still pay it, else 409 `conflict` with reason `refund_in_flight`. One that is canceled already is answered as it is.',
  },
  listWebhookEndpoints: {
    method: 'GET',
    path: '/v1/webhook_endpoints',
    auth: 'api_key',
    query: nothing,
    answer: webhookEndpointPageSchema,
    cursor: 'id',
    repeat: 'idempotent',
    summary: 'List webhook endpoints, oldest first',
  },
  createWebhookEndpoint: {
    method: 'POST',
    path: '/v1/webhook_endpoints',
    auth: 'api_key',
    body: createWebhookEndpointSchema,
    answer: webhookEndpointWithSecretSchema,
    errors: ['conflict'],
    repeat: 'unsafe',
    summary: 'Create a webhook endpoint',
    description:
      'Its `secret` is in this answer and in that of `rotate_secret`, and nowhere else. At most 16, in each mode.',
  },
  retrieveWebhookEndpoint: {
    method: 'GET',
    path: '/v1/webhook_endpoints/{id}',
    object: 'webhook endpoint',
    auth: 'api_key',
    answer: webhookEndpointSchema,
    repeat: 'idempotent',
    summary: 'Retrieve a webhook endpoint',
  },
  updateWebhookEndpoint: {
    method: 'PATCH',
    path: '/v1/webhook_endpoints/{id}',
    object: 'webhook endpoint',
    auth: 'api_key',
    body: updateWebhookEndpointSchema,
    answer: webhookEndpointSchema,
    repeat: 'idempotent',
    summary: 'Change, disable or enable a webhook endpoint',
  },
  deleteWebhookEndpoint: {
    method: 'DELETE',
    path: '/v1/webhook_endpoints/{id}',
    object: 'webhook endpoint',
    auth: 'api_key',
    answer: deletedWebhookEndpointSchema,
    repeat: 'idempotent',
    summary: 'Delete a webhook endpoint',
    description: 'Once this is answered it gets nothing more.',
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/v1/webhook_endpoints/{id}/rotate_secret',
    object: 'webhook endpoint',
    auth: 'api_key',
    body: rotateWebhookSecretSchema,
    isBodyOptional: true,
    answer: webhookEndpointWithSecretSchema,
    // A second rotation invalidates the secret of the first.
    repeat: 'unsafe',
    summary: 'Give a webhook endpoint a new secret',
    description: 'Deliveries are signed with both for a while, so that none is lost.',
  },
  recoverWebhookEndpoint: {
    method: 'POST',
    path: '/v1/webhook_endpoints/{id}/recover',
    object: 'webhook endpoint',
    auth: 'api_key',
    body: recoverWebhookEndpointSchema,
    answer: deliveriesQueuedSchema,
    errors: ['conflict'],
    repeat: 'idempotent',
    summary: 'Send a webhook endpoint all that it has missed',
    description: 'Also what happened while it was disabled.',
  },
  listWebhookDeliveries: {
    method: 'GET',
    path: '/v1/webhook_endpoints/{id}/deliveries',
    object: 'webhook endpoint',
    auth: 'api_key',
    query: listWebhookDeliveriesSchema,
    answer: webhookDeliveryPageSchema,
    cursor: 'event',
    repeat: 'idempotent',
    summary: 'List what was sent to a webhook endpoint',
    description: 'By event, the newest first.',
  },
} as const satisfies Record<string, Endpoint>

/** The `operationId` of an endpoint. */
export type Operation = keyof typeof endpoints

type SchemaOf<Name extends Operation, Part extends 'query' | 'body'> =
  (typeof endpoints)[Name] extends Readonly<Record<Part, infer Schema extends z.ZodType>>
    ? Schema
    : z.ZodUndefined

/** A request to an endpoint, as its schemas parse it. */
export type RequestOf<Name extends Operation> = {
  /** From the path; empty where it has none. */
  readonly id: string
  readonly query: z.output<SchemaOf<Name, 'query'>>
  readonly body: z.output<SchemaOf<Name, 'body'>>
}
