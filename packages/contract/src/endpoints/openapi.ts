import { chains } from '../chains.ts'
import type { ErrorCode } from '../errors.ts'
import { errorBodySchema } from '../schemas/errorBody.ts'
import { type EventType, eventTypeSchema } from '../schemas/eventType.ts'
import { nothing } from '../schemas/nothing.ts'
import { limits } from '../schemas/paymentIntent.ts'
import { windows } from '../windows.ts'
import type { Endpoint } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { errorResponsesOf, headerParametersOf, headersOf, webhookHeaders } from './openapiParts.ts'
import {
  camelCase,
  componentSchemas,
  contentOf,
  queryParameters,
  reference,
} from './openapiSchemas.ts'

/** The schema of an event's `data.object`, by the part of its type before the dot. */
const subjects = {
  payment_intent: 'RetrievedPaymentIntent',
  transfer: 'Transfer',
  refund: 'ListedRefund',
  webhook_endpoint: 'WebhookEndpoint',
  alert: 'Alert',
} as const

const inPath = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }

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
      schemas: componentSchemas(),
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
      ...errorResponsesOf(errorsOf(endpoint), endpoint, contentOf(errorBodySchema)),
    },
  }
}

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
