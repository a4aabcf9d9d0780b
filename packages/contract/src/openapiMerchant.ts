import { listEventsSchema, listPaymentIntentsSchema, listTransfersSchema } from './lists.ts'
import { answer, body, errors, queryParameters } from './openapiParts.ts'

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
          summary: 'Credit an unmatched transfer to a payment intent',
          description:
            'Answers the payment intent. A transfer that is credited elsewhere is 409 `conflict` with reason `illegal_state`.',
        }),
        requestBody: body('AssignTransfer'),
      },
    },
  }
}

const security = [{ apiKey: [] }]
const authentication = ['api_key_missing', 'api_key_invalid', 'merchant_not_found'] as const
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
    },
  }
}
