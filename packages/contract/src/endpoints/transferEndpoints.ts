import { assignTransferSchema, listTransfersSchema, transferPageSchema } from '../schemas/lists.ts'
import { retrievedPaymentIntentSchema } from '../schemas/retrieved.ts'
import type { Endpoint } from './endpoint.ts'

/** Endpoints of transfers. */
export const transferEndpoints = {
  listTransfers: {
    method: 'GET',
    path: '/v1/transfers',
    auth: 'api_key',
    query: listTransfersSchema,
    response: transferPageSchema,
    cursor: 'id',
    idempotency: 'idempotent',
    summary: 'List transfers, newest first',
    description: 'Includes transfers that are credited to no payment intent.',
  },
  assignTransfer: {
    method: 'POST',
    path: '/v1/transfers/{id}/assign',
    object: 'transfer',
    auth: 'api_key',
    body: assignTransferSchema,
    response: retrievedPaymentIntentSchema,
    errors: ['conflict'],
    idempotency: 'keyed',
    summary: 'Credit a transfer to a payment intent',
    description:
      'Takes an unmatched transfer of the same chain and token, or a transfer that is credited to another payment intent at the same wallet and decides no state there: a second, partial or late payment. The other payment intent gets the event `payment_intent.transfer_moved`. Returns the payment intent. A transfer that paid a payment intent stays: 409 `conflict` with reason `illegal_state`.',
  },
} as const satisfies Record<string, Endpoint>
