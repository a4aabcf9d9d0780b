import { z } from 'zod'
import {
  listEventsSchema,
  listPaymentIntentsSchema,
  listTransfersSchema,
  listWebhookDeliveriesSchema,
} from './lists.ts'
import { answer, body, errors, optionalBody, queryParameters, unavailable } from './openapiParts.ts'

/** Paths with which a merchant's backend reads and acts, by what they answer. */
export function merchantOperations() {
  return {
    '/v1/payment_intents': {
      get: list('listPaymentIntents', 'List payment intents, newest first', {
        query: listPaymentIntentsSchema,
        page: 'PaymentIntentPage',
      }),
    },
    '/v1/payment_intents/{id}': {
      get: read('retrievePaymentIntent', 'Retrieve a payment intent', 'RetrievedPaymentIntent'),
    },
    '/v1/payment_intents/{id}/cancel': {
      post: act('cancelPaymentIntent', {
        summary: 'Cancel a payment intent',
        description:
          'Only while nothing was received, else 409 `conflict` with reason `illegal_state`. One that is canceled already is answered as it stands.',
      }),
    },
    '/v1/payment_intents/{id}/accept': {
      post: act('acceptPaymentIntent', {
        summary: 'Settle an underpaid or late payment as it stands',
        description:
          'Where there is nothing to accept, 409 `conflict` with reason `illegal_state`. One that is accepted already is answered as it stands.',
      }),
    },
    '/v1/events': {
      get: list('listEvents', 'List events, oldest first', {
        query: listEventsSchema,
        page: 'EventPage',
        description:
          'From 30 days ago, or from `starting_after` on. Whoever continues from the last event they saw misses none, however many are written meanwhile.',
      }),
    },
    '/v1/events/{id}': { get: read('retrieveEvent', 'Retrieve an event', 'Event') },
    '/v1/transfers': {
      get: list('listTransfers', 'List transfers, newest first', {
        query: listTransfersSchema,
        page: 'TransferPage',
        description: 'Also those that are credited to no payment intent.',
      }),
    },
    '/v1/transfers/{id}/assign': {
      post: {
        ...act('assignTransfer', {
          summary: 'Credit a transfer to a payment intent',
          description:
            'An unmatched transfer of the same chain and token, or one that is credited to another payment intent at the same wallet and that no state of it rests on: a second payment, a part, a late one. That one gets the event `payment_intent.transfer_moved`. Answers the payment intent. What paid a payment intent stays: 409 `conflict` with reason `illegal_state`.',
        }),
        requestBody: body('AssignTransfer'),
      },
    },
    '/v1/events/{id}/redeliver': {
      post: change('redeliverEvent', {
        summary: 'Send an event once more',
        description: 'To one enabled endpoint, or to all; also where it got through already.',
        takes: optionalBody('RedeliverEvent'),
        answers: 'DeliveriesQueued',
      }),
    },
    '/v1/webhook_endpoints': {
      get: list('listWebhookEndpoints', 'List webhook endpoints, oldest first', {
        query: z.strictObject({}),
        page: 'WebhookEndpointPage',
      }),
      post: {
        ...change('createWebhookEndpoint', {
          summary: 'Create a webhook endpoint',
          description:
            'Its `secret` is told here and by `rotate_secret`, and nowhere else. At most 16, in each mode.',
          takes: body('CreateWebhookEndpoint'),
          answers: 'WebhookEndpointWithSecret',
        }),
        parameters: [],
      },
    },
    '/v1/webhook_endpoints/{id}': {
      get: read('retrieveWebhookEndpoint', 'Retrieve a webhook endpoint', 'WebhookEndpoint'),
      patch: change('updateWebhookEndpoint', {
        summary: 'Change, disable or enable a webhook endpoint',
        takes: body('UpdateWebhookEndpoint'),
        answers: 'WebhookEndpoint',
      }),
      delete: {
        operationId: 'deleteWebhookEndpoint',
        summary: 'Delete a webhook endpoint',
        description: 'Once this is answered it gets nothing more.',
        security,
        parameters: [id],
        responses: {
          200: answer('It is gone', 'DeletedWebhookEndpoint'),
          ...errors([...authentication, 'not_found', 'internal_error']),
          ...unavailable,
        },
      },
    },
    '/v1/webhook_endpoints/{id}/rotate_secret': {
      post: change('rotateWebhookSecret', {
        summary: 'Give a webhook endpoint a new secret',
        description: 'Deliveries are signed with both for a while, so that none is lost.',
        takes: optionalBody('RotateWebhookSecret'),
        answers: 'WebhookEndpointWithSecret',
      }),
    },
    '/v1/webhook_endpoints/{id}/recover': {
      post: change('recoverWebhookEndpoint', {
        summary: 'Send a webhook endpoint all that it has missed',
        description: 'Also what happened while it was disabled.',
        takes: body('RecoverWebhookEndpoint'),
        answers: 'DeliveriesQueued',
      }),
    },
    '/v1/webhook_endpoints/{id}/deliveries': {
      get: {
        ...list('listWebhookDeliveries', 'List what was sent to a webhook endpoint', {
          query: listWebhookDeliveriesSchema,
          page: 'WebhookDeliveryPage',
          description: 'By event, the newest first.',
        }),
        parameters: [id, ...queryParameters(listWebhookDeliveriesSchema)],
      },
    },
  }
}

const security = [{ apiKey: [] }]
const authentication = [
  'api_key_missing',
  'api_key_invalid',
  'merchant_not_found',
  'rate_limited',
] as const
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }

function list(
  operationId: string,
  summary: string,
  more: { query: Parameters<typeof queryParameters>[0]; page: string; description?: string },
) {
  return {
    operationId,
    summary,
    ...(more.description ? { description: more.description } : {}),
    security,
    parameters: queryParameters(more.query),
    responses: {
      200: answer('One page', more.page),
      ...errors(['invalid_body', ...authentication, 'internal_error']),
      ...unavailable,
    },
  }
}

function read(operationId: string, summary: string, schema: string) {
  return {
    operationId,
    summary,
    security,
    parameters: [id],
    responses: {
      200: answer('As it stands', schema),
      ...errors(['invalid_body', ...authentication, 'not_found', 'internal_error']),
      ...unavailable,
    },
  }
}

function change(
  operationId: string,
  told: {
    summary: string
    description?: string
    takes: ReturnType<typeof body>
    answers: string
  },
) {
  return {
    operationId,
    summary: told.summary,
    ...(told.description ? { description: told.description } : {}),
    security,
    parameters: [id],
    requestBody: told.takes,
    responses: {
      200: answer('As it stands now', told.answers),
      ...errors(['invalid_body', ...authentication, 'not_found', 'conflict', 'internal_error']),
      ...unavailable,
    },
  }
}

function act(operationId: string, told: { summary: string; description: string }) {
  return {
    operationId,
    ...told,
    security,
    parameters: [id],
    responses: {
      200: answer('The payment intent as it stands now', 'RetrievedPaymentIntent'),
      ...errors(['invalid_body', ...authentication, 'not_found', 'conflict', 'internal_error']),
      ...unavailable,
    },
  }
}
