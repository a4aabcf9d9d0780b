import { expect, test } from 'vitest'
import { conflict, type HttpError, internalError, rateLimited } from './httpError.ts'

test.each<[string, HttpError, Record<string, string>]>([
  ['a fault of the server', internalError(), { 'retry-after': '1' }],
  ['too many requests', rateLimited(7), { 'retry-after': '7' }],
  [
    'a request under a key in flight',
    conflict('idempotency_key_in_flight', 'Wait.'),
    { 'retry-after': '1', 'x-should-retry': 'true' },
  ],
  ['any other conflict', conflict('illegal_state', 'It is paid.'), {}],
])('%s says when a retry may succeed, if ever', (_, { headers }, expected) => {
  expect(headers).toEqual(expected)
})
