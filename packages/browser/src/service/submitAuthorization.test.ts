import type { TransferAuthorization } from '@payment-intents/contract'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { gaslessIntent, payer } from '../../test/support/testIntents.ts'
import { stubBrowser } from '../../test/walks/stubBrowser.ts'
import { submitAuthorization } from './submitAuthorization.ts'

const authorization = { from: payer, ...gaslessIntent().gasless?.message } as TransferAuthorization
const signature = `0x${'11'.repeat(65)}`

beforeEach(() => {
  stubBrowser()
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

type Reply = [status: number, body: unknown] | 'no response' | 'never'

/** A service that returns these responses in order, then repeats the last. */
function serviceOf(...replies: Reply[]) {
  return vi.fn(async (_operation: string, _: object, signal: AbortSignal) => {
    const reply = replies.length > 1 ? replies.shift() : replies[0]
    if (reply === 'no response') throw new TypeError('Failed to fetch')
    if (reply === 'never') {
      return new Promise<Response>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    }
    const [status, body] = reply ?? [500, null]
    return new Response(JSON.stringify(body), { status })
  })
}

const submit = (service: ReturnType<typeof serviceOf>, signal = new AbortController().signal) =>
  submitAuthorization(service, authorization, signature, signal)

test('the request has the authorization and its signature', async () => {
  const service = serviceOf([200, {}])
  expect(await submit(service)).toEqual({ outcome: 'accepted' })
  expect(service.mock.calls.map(([operation, request]) => [operation, request])).toEqual([
    ['authorize', { authorization, signature }],
  ])
})

test.each<[string, Reply]>([
  ['a network error', 'no response'],
  ['a timeout', 'never'],
  ['an internal error', [503, { error: 'internal_error' }]],
  ['a rate limit', [429, { error: 'rate_limited' }]],
  ['a proxy’s page', [404, 'Not here']],
])('an authorization is submitted again after %s', async (_, first) => {
  const service = serviceOf(first, [200, {}])
  const reply = submit(service)
  await vi.advanceTimersByTimeAsync(12_000)
  expect(await reply).toEqual({ outcome: 'accepted' })
  expect(service).toHaveBeenCalledTimes(2)
  expect(vi.getTimerCount()).toBe(0)
})

test.each([
  [409, { error: 'conflict', reason: 'token_paused' }, 'token_paused'],
  [400, { error: 'invalid_body', reason: 'signature_invalid' }, 'signature_invalid'],
  [400, { error: 'invalid_body' }, 'invalid_body'],
  [404, { error: 'intent_not_found' }, 'intent_not_found'],
])('a refusal with %d %o is final', async (status, body, reason) => {
  expect(await submit(serviceOf([status, body]))).toEqual({ outcome: 'refused', reason })
})

test('nothing is submitted once the checkout is closed', async () => {
  const closing = new AbortController()
  const service = serviceOf('no response')
  const reply = submit(service, closing.signal)
  await vi.advanceTimersByTimeAsync(100)
  closing.abort()
  expect(await reply).toBeNull()
  expect(service).toHaveBeenCalledTimes(1)
  expect(vi.getTimerCount()).toBe(0)
})
