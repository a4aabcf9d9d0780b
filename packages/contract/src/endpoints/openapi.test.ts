import { expect, test } from 'vitest'
import { errorTable } from '../errors.ts'
import { eventTypeSchema } from '../schemas/eventType.ts'
import { openapi } from './openapi.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is accessed by path
const document = openapi({ baseUrl: 'https://pay.example' }) as any

test('names what the interface publishes', () => {
  expect(document.openapi).toBe('3.1.0')
  expect(document.info.version).toBe('1.0.0')
  expect(document.servers).toEqual([{ url: 'https://pay.example' }])
  const creation = document.paths['/v1/payment_intents'].post
  expect(creation.operationId).toBe('createPaymentIntent')
  expect(creation.security).toEqual([{ apiKey: [] }])
  expect(document.components.securitySchemes.apiKey).toEqual({
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'API Key',
  })
  expect(document.paths['/v1/payment_intents/resolve'].post.security).toEqual([])
})

test('the request body is as published', () => {
  const schema = document.components.schemas.CreatePaymentIntent
  expect(schema.required).toEqual(['amount_units'])
  expect(schema.additionalProperties).toBe(false)
  expect(Object.keys(schema.properties).sort()).toEqual([
    'amount_units',
    'chain',
    'expires_in_minutes',
    'lane',
    'metadata',
    'token',
    'wallet_address',
  ])
  expect(schema.properties.amount_units).toMatchObject({ type: 'integer', minimum: 1 })
  expect(schema.properties.wallet_address.pattern).toBe('^0x[a-fA-F0-9]{40}$')
})

test('the response has every published field, and may have more', () => {
  const schema = document.components.schemas.PaymentIntent
  for (const field of [
    ...['id', 'status', 'client_secret', 'mode', 'chain', 'chain_id', 'confirmations_required'],
    ...['amount_units', 'decimals', 'token_symbol', 'token_address', 'expected_wallet'],
    ...['expires_at', 'expires_in_minutes', 'lane', 'metadata'],
  ]) {
    expect(schema.required).toContain(field)
  }
  expect(schema.additionalProperties).not.toBe(false)
})

test('the response to the checkout names the merchant', () => {
  const { required, properties } = document.components.schemas.ResolvedPaymentIntent
  expect(required).toContain('merchant_name')
  expect(properties.merchant_name).toMatchObject({ type: 'string' })
})

test('creation returns each published error', () => {
  const { responses } = document.paths['/v1/payment_intents'].post
  const published = [
    ...(['invalid_body', 'wallet_invalid', 'api_key_missing', 'api_key_invalid'] as const),
    ...(['merchant_not_found', 'conflict', 'internal_error'] as const),
  ]
  for (const code of published) {
    expect(responses[errorTable[code].status].description).toContain(code)
  }
})

test.each([
  ['post', '/v1/payment_intents', true],
  ['post', '/v1/payment_intents/resolve', true],
  ['post', '/v1/transfers/{id}/assign', true],
  ['post', '/v1/webhook_endpoints', true],
  ['patch', '/v1/webhook_endpoints/{id}', true],
  ['post', '/v1/webhook_endpoints/{id}/recover', true],
  ['post', '/v1/webhook_endpoints/{id}/rotate_secret', false],
  ['post', '/v1/events/{id}/redeliver', false],
])('%s %s has a body; required: %s', (method, path, required) => {
  expect(document.paths[path][method].requestBody.required).toBe(required)
})

test('responses that require a wait have Retry-After', () => {
  const seconds = { description: expect.any(String), schema: { type: 'integer', minimum: 1 } }
  const creation = document.paths['/v1/payment_intents'].post.responses
  expect(creation[409].headers).toMatchObject({
    'X-Request-Id': {},
    'Retry-After': seconds,
    'X-Should-Retry': { schema: { type: 'string', const: 'true' } },
  })
  expect(Object.keys(creation[400].headers)).toEqual(['X-Request-Id'])
  const { headers } = document.paths['/v1/payment_intents/resolve'].post.responses[429]
  expect(headers).toMatchObject({ 'X-Request-Id': {}, 'Retry-After': seconds })
  const cancel = document.paths['/v1/payment_intents/{id}/cancel'].post.responses
  expect(Object.keys(cancel[409].headers)).toEqual(['X-Request-Id'])
})

test('every reference resolves', () => {
  const references = JSON.stringify(document).match(/#\/components\/schemas\/\w+/g) ?? []
  expect(references.length).toBeGreaterThan(5)
  for (const reference of references) {
    expect(document.components.schemas).toHaveProperty([reference.split('/').at(-1) ?? ''])
  }
})

test.each([
  ['get', '/v1/payment_intents', 'listPaymentIntents', 'PaymentIntentPage'],
  ['get', '/v1/payment_intents/{id}', 'retrievePaymentIntent', 'RetrievedPaymentIntentWithLinks'],
  ['get', '/v1/payment_intents/{id}/receipt', 'retrieveReceipt', 'Receipt'],
  ['post', '/v1/payment_intents/{id}/cancel', 'cancelPaymentIntent', 'RetrievedPaymentIntent'],
  ['post', '/v1/payment_intents/{id}/accept', 'acceptPaymentIntent', 'RetrievedPaymentIntent'],
  ['get', '/v1/events', 'listEvents', 'EventPage'],
  ['get', '/v1/events/{id}', 'retrieveEvent', 'Event'],
  ['get', '/v1/transfers', 'listTransfers', 'TransferPage'],
  ['post', '/v1/transfers/{id}/assign', 'assignTransfer', 'RetrievedPaymentIntent'],
])('%s %s is %s and returns a %s', (method, path, operationId, schema) => {
  const operation = document.paths[path][method]
  expect(operation.operationId).toBe(operationId)
  expect(operation.security).toEqual([{ apiKey: [] }])
  expect(operation.responses[200].content['application/json'].schema).toEqual({
    $ref: `#/components/schemas/${schema}`,
  })
  const responses = JSON.stringify(operation.responses)
  const codes = ['api_key_missing', 'api_key_invalid', 'merchant_not_found']
  const reads = method === 'get' && path.includes('{id}')
  const more = path.includes('{id}') ? ['not_found'] : []
  const postErrors = method === 'post' ? ['conflict'] : []
  for (const code of [...codes, ...more, ...postErrors])
    expect(responses).toContain(`\`${code}\`: `)
  // Without a query or a body, nothing can be invalid.
  expect(responses.includes('`invalid_body`: ')).toBe(!reads)
  const inPath = operation.parameters.filter((parameter: { in: string }) => parameter.in === 'path')
  expect(inPath).toHaveLength(more.length)
})

test('lists take the parameters that the server parses', () => {
  const names = (path: string) =>
    document.paths[path].get.parameters.map((parameter: { name: string }) => parameter.name).sort()
  const search = ['amount_units', 'created_after', 'created_before', 'payer', 'reference']
  const more = ['chain', 'limit', 'starting_after', 'tx_hash', 'wallet']
  expect(names('/v1/payment_intents')).toEqual(
    [...search, ...more, 'metadata', 'payment_link', 'status'].sort(),
  )
  const ofEvents = ['limit', 'order', 'payment_intent', 'payment_link', 'starting_after', 'type']
  expect(names('/v1/events')).toEqual([...ofEvents, 'wait'])
  expect(names('/v1/transfers')).toEqual([...search, ...more, 'matched', 'payment_intent'].sort())
  const { parameters } = document.paths['/v1/payment_intents'].get
  const find = (name: string) =>
    parameters.find((parameter: { name: string }) => parameter.name === name)
  expect(find('limit').schema).toEqual({
    ...{ type: 'integer', format: 'int32', minimum: 1, maximum: 100 },
  })
  expect(find('metadata')).toMatchObject({ in: 'query', style: 'deepObject', explode: true })
  expect(document.paths['/v1/payment_intents'].post.operationId).toBe('createPaymentIntent')
})

test('integers have their size, and nullable fields have null as a type', () => {
  const { PaymentIntent, RetrievedPaymentIntent, Transfer } = document.components.schemas
  expect(PaymentIntent.properties.amount_units).toMatchObject({ type: 'integer', format: 'int64' })
  expect(PaymentIntent.properties.expires_in_minutes.type).toBe('integer')
  expect(document.components.schemas.CreatePaymentIntent.properties.expires_in_minutes.type).toBe(
    'integer',
  )
  expect(RetrievedPaymentIntent.properties.tx_hash.type).toEqual(['string', 'null'])
  expect(Transfer.properties.payment_intent.type).toEqual(['string', 'null'])
  expect(JSON.stringify(document)).not.toContain('"multipleOf":1')
})

test('each type of event is a webhook whose object has a schema', () => {
  for (const type of eventTypeSchema.options) {
    const { requestBody, parameters, security } = document.webhooks[type].post
    expect(security).toEqual([])
    const [event, fields] = requestBody.content['application/json'].schema.allOf
    expect(event.$ref).toBe('#/components/schemas/Event')
    expect(fields.properties.type).toEqual({ const: type })
    expect(document.components.schemas).toHaveProperty(
      fields.properties.data.properties.object.$ref.split('/').at(-1),
    )
    expect(parameters.map(({ name }: { name: string }) => name)).toEqual([
      ...['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    ])
  }
})

test('operation ids are distinct', () => {
  const ids = JSON.stringify(document).match(/"operationId":"\w+"/g) ?? []
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.length).toBeGreaterThanOrEqual(10)
})

test('nothing that a merchant reads later contains the client secret', () => {
  const { RetrievedPaymentIntent, Event, Transfer } = document.components.schemas
  expect(JSON.stringify([RetrievedPaymentIntent, Event, Transfer])).not.toContain('client_secret')
})
