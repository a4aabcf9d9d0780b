import { errorTable, openapi } from '@payment-intents/contract'
import { expect, test } from 'vitest'
import { serverOfFile } from '../../../test/support/database/fixtures.ts'
import { expectError, merchantApi } from '../../../test/support/server/merchantApi.ts'
import { createTestMerchant } from '../../../test/support/server/testServer.ts'
import { closeMerchant } from '../../store/merchants/merchants.ts'

const server = serverOfFile()

type Operation = { security: unknown[]; responses: Record<string, { description: string }> }

/** The method and path of every operation that requires a key, from the OpenAPI document. */
const operations = Object.entries(
  openapi({ baseUrl: '' }).paths as Record<string, Record<string, Operation>>,
).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, operation]) => operation.security.length > 0)
    .map(([method, operation]) => [method.toUpperCase(), path, operation] as const),
)

test('the document has operations that require a key', () => {
  expect(operations.length).toBeGreaterThanOrEqual(9)
})

test.each(operations)('%s %s requires a key before anything else', async (method, path) => {
  // The query, the id and the body are also invalid.
  const url = `${path.replace('{id}', 'nothing')}?wrong=1`
  const send = (key?: string) =>
    server.request(url, {
      method,
      headers: {
        origin: 'https://shop.example',
        'content-type': 'text/plain',
        ...(key ? { authorization: `Bearer ${key}` } : {}),
      },
      ...(method === 'GET' ? {} : { body: 'wrong' }),
    })
  const closed = await createTestMerchant(server.db)
  await closeMerchant(server.db.pool, closed.id)
  const responses = [
    [await send(), 'api_key_missing'],
    [await send('sk_test_typo'), 'api_key_invalid'],
    [await send(closed.apiKey), 'merchant_not_found'],
  ] as const
  for (const [response, code] of responses) {
    await expectError(response, errorTable[code].status, code)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  }
})

test.each(operations)('%s %s responds to other methods as documented', async (method, path) => {
  const url = path.replace('{id}', 'nothing')
  const response = await server.request(url, { method: 'PUT' })
  await expectError(response, 405, 'method_not_allowed')
  expect(response.headers.get('allow')?.split(', ')).toContain(method)
})

test('a path that is not percent-encoded UTF-8 gets a 400 like any other', async () => {
  const response = await server.request('/v1/payment_intents/%ff')
  await expectError(response, 400, 'invalid_body')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
})

test.each([100, 101, 8_000])('an id of %d characters is not found', async (length) => {
  const { apiKey } = await createTestMerchant(server.db)
  const response = merchantApi(server, apiKey).get(`/v1/payment_intents/${'x'.repeat(length)}`)
  await expectError(await response, 404, 'not_found')
})
