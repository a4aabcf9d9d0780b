import { authorizedPaymentIntentSchema, authorizeRequestSchema } from '../schemas/authorize.ts'
import { handoffRequestSchema, handoffSchema } from '../schemas/handoff.ts'
import { listPaymentIntentsSchema, paymentIntentPageSchema } from '../schemas/lists.ts'
import { nothing } from '../schemas/nothing.ts'
import { createPaymentIntentSchema, paymentIntentSchema } from '../schemas/paymentIntent.ts'
import { confirmedReceiptSchema, confirmReceiptSchema, receiptSchema } from '../schemas/receipt.ts'
import { resolvedPaymentIntentSchema, resolveRequestSchema } from '../schemas/resolve.ts'
import {
  retrievedPaymentIntentSchema,
  retrievedPaymentIntentWithLinksSchema,
} from '../schemas/retrieved.ts'
import { timelineSchema } from '../schemas/timeline.ts'
import type { Endpoint } from './endpoint.ts'
import { payerRequests } from './payerRequests.ts'

/** Endpoints of payment intents and their receipts. */
export const paymentIntentEndpoints = {
  createPaymentIntent: {
    method: 'POST',
    path: '/v1/payment_intents',
    auth: 'api_key',
    body: createPaymentIntentSchema,
    response: paymentIntentSchema,
    errors: ['wallet_invalid', 'conflict'],
    idempotency: 'keyed',
    storesResponse: true,
    acceptsX402: true,
    unavailable: 500,
    summary: 'Create a payment intent',
    description: "Call it from the merchant's backend only: an API key must never reach a browser.",
  },
  listPaymentIntents: {
    method: 'GET',
    path: '/v1/payment_intents',
    auth: 'api_key',
    query: listPaymentIntentsSchema,
    response: paymentIntentPageSchema,
    cursor: 'id',
    idempotency: 'idempotent',
    summary: 'List payment intents, newest first',
  },
  resolvePaymentIntent: {
    method: 'POST',
    path: '/v1/payment_intents/resolve',
    auth: 'none',
    body: resolveRequestSchema,
    bodyBytes: 1_024,
    response: resolvedPaymentIntentSchema,
    errors: ['intent_not_found'],
    idempotency: 'idempotent',
    summary: 'Resolve a client secret, for the checkout',
    description: `The browser calls it from any origin; the JSON may be sent as \`text/plain\`, which needs no preflight. With \`after_version\` the response is held until something changed. ${payerRequests('max')}`,
  },
  authorizePaymentIntent: {
    method: 'POST',
    path: '/v1/payment_intents/authorize',
    auth: 'none',
    body: authorizeRequestSchema,
    bodyBytes: 10 * 1_024,
    response: authorizedPaymentIntentSchema,
    errors: ['intent_not_found', 'conflict'],
    // The token accepts a nonce of an account once.
    idempotency: 'idempotent',
    summary: 'Submit the authorization of a payer without gas',
    description: `Takes the message that \`gasless\` of resolve offers, signed by the payer (EIP-3009); the browser calls it like resolve. The service checks it, submits it and pays the gas; \`authorization\` of resolve shows its outcome. A refusal is a 409 \`conflict\` with a reason: \`insufficient_token\`, \`address_blocked\`, \`token_paused\`, \`authorization_used\`, \`payment_in_flight\`, \`intent_expired\`, \`gasless_unavailable\` or \`illegal_state\`; a wrong signature is a 400 \`invalid_body\` with reason \`signature_invalid\`. ${payerRequests('chainMax')}`,
  },
  handOffPaymentIntent: {
    method: 'POST',
    path: '/v1/payment_intents/handoff',
    auth: 'none',
    body: handoffRequestSchema,
    bodyBytes: 4 * 1_024,
    response: handoffSchema,
    errors: ['intent_not_found', 'conflict'],
    // Each response has its own link; the newest five open.
    idempotency: 'idempotent',
    summary: 'Get a link to the hosted page, for another device or browser',
    description: `The browser calls it from any origin; the JSON may be sent as \`text/plain\`, which needs no preflight. The link holds a token that opens the page once, and never the client secret; the newest five links of a payment intent open. 409 \`conflict\` with reason \`illegal_state\` once the payment intent has ended. ${payerRequests('max')}`,
  },
  retrievePaymentIntent: {
    method: 'GET',
    path: '/v1/payment_intents/{id}',
    object: 'payment intent',
    auth: 'api_key',
    response: retrievedPaymentIntentWithLinksSchema,
    idempotency: 'idempotent',
    summary: 'Retrieve a payment intent',
  },
  retrieveReceipt: {
    method: 'GET',
    path: '/v1/payment_intents/{id}/receipt',
    object: 'payment intent',
    auth: 'api_key',
    response: receiptSchema,
    errors: ['conflict'],
    idempotency: 'idempotent',
    summary: 'Retrieve the receipt of a payment intent',
    description:
      'Proves to anyone that a payment on the chain was for this payment intent. 409 `conflict` with reason `illegal_state` until it has succeeded.',
  },
  retrieveTimeline: {
    method: 'GET',
    path: '/v1/payment_intents/{id}/timeline',
    object: 'payment intent',
    auth: 'api_key',
    response: timelineSchema,
    idempotency: 'idempotent',
    summary: 'Retrieve the timeline of a payment intent, oldest first',
    description:
      'One list of its creation, its opening, its events and their deliveries, its transfers, authorizations and refunds. A transfer has the time at which it was seen; a delivery that of its latest attempt.',
  },
  confirmReceipt: {
    method: 'POST',
    path: '/receipt',
    auth: 'none',
    body: confirmReceiptSchema,
    bodyBytes: 1_024,
    response: confirmedReceiptSchema,
    errors: ['not_found'],
    idempotency: 'idempotent',
    summary: 'Compare a receipt with the service’s own',
    description:
      'The browser calls it from any origin; the JSON may be sent as `text/plain`, which needs no preflight. A receipt can be forged, so the service returns its own, without `metadata`, to a caller who sends its salt. 404 `not_found` if it has none, or the chain took the payment back.',
  },
  cancelPaymentIntent: {
    method: 'POST',
    path: '/v1/payment_intents/{id}/cancel',
    object: 'payment intent',
    auth: 'api_key',
    body: nothing,
    isBodyOptional: true,
    response: retrievedPaymentIntentSchema,
    errors: ['conflict'],
    idempotency: 'keyed',
    summary: 'Cancel a payment intent',
    description:
      'Cancels a payment intent that has received nothing, else 409 `conflict` with reason `illegal_state`; while an authorization of the payer is in flight, the reason is `payment_in_flight`. Returns a canceled payment intent as it is.',
  },
  acceptPaymentIntent: {
    method: 'POST',
    path: '/v1/payment_intents/{id}/accept',
    object: 'payment intent',
    auth: 'api_key',
    body: nothing,
    isBodyOptional: true,
    response: retrievedPaymentIntentSchema,
    errors: ['conflict'],
    idempotency: 'keyed',
    summary: 'Accept an underpaid or late payment',
    description:
      '409 `conflict` with reason `illegal_state` if there is nothing to accept. Returns an accepted payment intent as it is.',
  },
} as const satisfies Record<string, Endpoint>
