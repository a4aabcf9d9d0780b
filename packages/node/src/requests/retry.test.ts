import { describe, expect, test } from 'vitest'
import { type Idempotency, isRetryable, retryDelay } from './retry.ts'

const now = Date.parse('2026-01-01T00:00:00Z')

function failure(
  status: number | undefined,
  headers: Record<string, string> = {},
  idempotency: Idempotency = 'keyed',
) {
  const code = 'unexpected_status' as const
  return { code, status, headers: new Headers(headers), idempotency }
}

function delay(headers: Record<string, string>, random = 0, status = 503, attempt = 1) {
  return retryDelay(failure(status, headers), attempt, () => random, now)
}

test('exactly these statuses are transient', () => {
  const all = Array.from({ length: 500 }, (_, index) => index + 100)
  expect(all.filter((status) => isRetryable(failure(status)))).toEqual([
    429, 500, 502, 503, 504, 520, 521, 522, 523, 524,
  ])
})

test('X-Should-Retry: false wins over everything', () => {
  const headers = { 'x-should-retry': 'false', 'retry-after': '1' }
  expect(delay(headers)).toBeUndefined()
  expect(isRetryable(failure(500, headers))).toBe(false)
})

test('X-Should-Retry: true opens 409 and 429, not 400', () => {
  const headers = { 'x-should-retry': 'true' }
  expect(delay(headers, 0, 409)).toBe(0)
  expect(delay(headers, 0, 429)).toBe(0)
  expect(delay(headers, 0, 400)).toBeUndefined()
})

describe('an unsafe call', () => {
  const isRetried = (status: number, headers: Record<string, string> = {}) =>
    isRetryable(failure(status, headers, 'unsafe'))

  test('is retried only after a refusal', () => {
    const all = Array.from({ length: 500 }, (_, index) => index + 100)
    expect(all.filter((status) => isRetried(status))).toEqual([429])
  })

  test('is retried when the service says so', () => {
    const headers = { 'x-should-retry': 'true' }
    expect([409, 500, 503].map((status) => isRetried(status, headers))).toEqual([true, true, true])
    expect(isRetried(400, headers)).toBe(false)
    expect(isRetried(429, { 'x-should-retry': 'false' })).toBe(false)
  })

  test('is not retried without a response', () => {
    for (const code of ['network_error', 'timeout'] as const) {
      const failed = { code, status: undefined, headers: undefined }
      expect(isRetryable({ ...failed, idempotency: 'unsafe' })).toBe(false)
      expect(isRetryable({ ...failed, idempotency: 'idempotent' })).toBe(true)
    }
  })
})

test('the wait is anything up to a ceiling that doubles from 250 ms to 5 s', () => {
  const ceilings = [1, 2, 3, 4, 5, 6, 7].map((attempt) => delay({}, 1, 500, attempt))
  expect(ceilings).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000])
  expect(delay({}, 0, 500, 7)).toBe(0)
})

describe('Retry-After', () => {
  test.each([
    ['3', 3000],
    ['60', 60_000],
    ['Thu, 01 Jan 2026 00:00:07 GMT', 7000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', 0],
    ['-5', 0],
    ['1.5', 0],
  ])('%s is a wait of %i ms', (value, expected) => {
    expect(delay({ 'retry-after': value })).toBe(expected)
  })

  test.each(['61', '99999999999999999999', 'Thu, 01 Jan 2026 00:01:01 GMT'])(
    '%s is more than a call waits',
    (value) => expect(delay({ 'retry-after': value })).toBeUndefined(),
  )

  test('never shortens the back-off', () => {
    expect(delay({ 'retry-after': '0' }, 0.5)).toBe(125)
  })
})
