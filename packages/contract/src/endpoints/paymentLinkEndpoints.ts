import { listPaymentLinksSchema, paymentLinkPageSchema } from '../schemas/lists.ts'
import { limits } from '../schemas/paymentIntent.ts'
import {
  createPaymentLinkSchema,
  paidPaymentLinkSchema,
  paymentLinkSchema,
  payPaymentLinkSchema,
  resolvedPaymentLinkSchema,
  resolvePaymentLinkSchema,
  updatePaymentLinkSchema,
} from '../schemas/paymentLink.ts'
import type { Endpoint } from './endpoint.ts'

/** Endpoints of payment links. */
export const paymentLinkEndpoints = {
  createPaymentLink: {
    method: 'POST',
    path: '/v1/payment_links',
    auth: 'api_key',
    body: createPaymentLinkSchema,
    bodyBytes: limits.pictureRequestBytes,
    response: paymentLinkSchema,
    errors: ['wallet_invalid', 'conflict'],
    idempotency: 'keyed',
    storesResponse: true,
    summary: 'Create a payment link',
    description: `At most ${limits.activeLinks} are active in each mode: another link is a 409 \`conflict\` with reason \`illegal_state\`.`,
  },
  listPaymentLinks: {
    method: 'GET',
    path: '/v1/payment_links',
    auth: 'api_key',
    query: listPaymentLinksSchema,
    response: paymentLinkPageSchema,
    cursor: 'id',
    idempotency: 'idempotent',
    summary: 'List payment links, newest first',
  },
  resolvePaymentLink: {
    method: 'POST',
    path: '/v1/payment_links/resolve',
    auth: 'none',
    body: resolvePaymentLinkSchema,
    bodyBytes: 1_024,
    response: resolvedPaymentLinkSchema,
    errors: ['not_found'],
    idempotency: 'idempotent',
    summary: 'Resolve a payment link, for its page',
    description:
      'The browser calls it from any origin; the JSON may be sent as `text/plain`, which needs no preflight. It creates nothing.',
  },
  payPaymentLink: {
    method: 'POST',
    path: '/v1/payment_links/pay',
    auth: 'none',
    body: payPaymentLinkSchema,
    bodyBytes: 1_024,
    response: paidPaymentLinkSchema,
    errors: ['not_found', 'wallet_invalid', 'conflict'],
    // For a visitor, a repeated request opens the open or paid intent again.
    idempotency: 'idempotent',
    summary: 'Create a payment intent of a payment link, as its payer',
    description: `The browser calls it from any origin, like resolve, when the payer presses “Pay”. A visitor has one payment at a time: another chain or amount cancels the open payment first, unless it is in flight: 409 \`conflict\` with reason \`payment_in_flight\`. 409 with reason \`payment_link_closed\` for a link that is inactive, expired or used up. At most ${limits.openLinkPayments} payments of a link and ${limits.openAddressPayments} of a client address are open at once: more are 429 \`rate_limited\`.`,
  },
  retrievePaymentLink: {
    method: 'GET',
    path: '/v1/payment_links/{id}',
    object: 'payment link',
    auth: 'api_key',
    response: paymentLinkSchema,
    idempotency: 'idempotent',
    summary: 'Retrieve a payment link',
  },
  updatePaymentLink: {
    method: 'PATCH',
    path: '/v1/payment_links/{id}',
    object: 'payment link',
    auth: 'api_key',
    body: updatePaymentLinkSchema,
    bodyBytes: limits.pictureRequestBytes,
    response: paymentLinkSchema,
    errors: ['conflict'],
    idempotency: 'idempotent',
    summary: 'Change, deactivate or activate a payment link',
    description:
      '409 `conflict` with reason `illegal_state` for fewer `max_payments` than are taken, and for more active links than there may be.',
  },
} as const satisfies Record<string, Endpoint>
