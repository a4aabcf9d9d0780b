import type { Fault } from '@payment-intents/testing/faults'
import { patience, slowness } from '../../support/patience.ts'
import { apiKey, intent, type Row, shortTimeout, timeout } from './row.ts'

/** Where a redirect points; nothing may ever be sent there. */
const elsewhere = 'http://127.0.0.1:9/'

/** Seconds of `Retry-After`: far longer than a request takes, even here. */
const wait = Math.ceil(2 * slowness)
/** Seconds of `Retry-After` that no caller should wait for, and the most that the client would. */
const longWait = 60
/** Milliseconds that no caller should wait for. */
const longTimeout = 10 * patience

const always = (fault: Fault) => () => fault
const shouldRetry = true

export const rows: readonly Row[] = [
  { name: 'no fault', plan: [], ends: 'ok', attempts: 1 },

  { name: '500 once', plan: [{ type: 'error', code: 'internal_error' }], ends: 'ok', attempts: 2 },
  {
    name: '500, retries off',
    plan: [{ type: 'error', code: 'internal_error' }],
    call: { maxRetries: 0, idempotencyKey: 'order 1042' },
    ...{ ends: 'internal_error', attempts: 1 },
  },
  {
    name: '500 that says not to retry',
    plan: [{ type: 'error', code: 'internal_error', shouldRetry: false }],
    ...{ ends: 'internal_error', attempts: 1 },
  },
  {
    name: '503 with Retry-After in seconds',
    plan: [{ type: 'page', status: 503, retryAfter: wait }],
    ...{ ends: 'ok', attempts: 2, retryAfterMs: 1_000 * wait, quick: true },
  },
  {
    name: '503 with Retry-After as a date',
    plan: ({ attempt }) =>
      attempt > 1
        ? { type: 'none' }
        : { type: 'page', status: 503, retryAfter: new Date(Date.now() + 2_000 * wait) },
    // A date has no fractions of a second.
    ...{ ends: 'ok', attempts: 2, retryAfterMs: 2_000 * wait - 1_000 },
  },
  {
    name: '503 with more Retry-After than a call waits',
    // Less than its deadline, which would forbid the wait as well.
    plan: [{ type: 'page', status: 503, retryAfter: 75 }],
    ...{ ends: 'unexpected_status', attempts: 1, lessThan: 75_000 },
  },
  {
    name: '429 with Retry-After',
    plan: [{ type: 'error', code: 'rate_limited', retryAfter: wait }],
    ...{ ends: 'ok', attempts: 2, retryAfterMs: 1_000 * wait },
  },
  {
    name: '429 that does not say when',
    plan: [{ type: 'error', code: 'rate_limited' }],
    ...{ ends: 'rate_limited', attempts: 1 },
  },
  { name: '409', plan: [{ type: 'error', code: 'conflict' }], ends: 'conflict', attempts: 1 },
  {
    name: '409 that says to retry',
    plan: [
      { type: 'error', code: 'conflict', reason: 'idempotency_key_in_flight', shouldRetry },
      { type: 'error', code: 'conflict', reason: 'idempotency_key_in_flight', shouldRetry },
    ],
    ...{ ends: 'ok', attempts: 3 },
  },
  {
    name: '400',
    plan: [{ type: 'error', code: 'invalid_body' }],
    ...{ ends: 'invalid_body', attempts: 1 },
  },
  {
    name: 'an error that echoes the API key',
    plan: always({ type: 'page', status: 500, body: `{"authorization":"Bearer ${apiKey}"}` }),
    ...{ ends: 'unexpected_status', attempts: 3, quick: true },
  },
  {
    name: 'HTML 502 once',
    plan: [{ type: 'page', status: 502, committed: true }],
    ...{ ends: 'ok', attempts: 2 },
  },
  {
    name: 'HTML 502 for ever',
    plan: always({ type: 'page', status: 502 }),
    ...{ ends: 'unexpected_status', attempts: 3 },
  },
  {
    name: 'a status that HTTP does not have',
    plan: [{ type: 'page', status: 999 }],
    ...{ ends: 'unexpected_status', attempts: 1 },
    except: [
      {
        runtime: 'edge-runtime',
        because:
          'A response whose status is not between 200 and 599 is a `network_error` on edge-runtime, and retried.',
        ...{ ends: 'ok', attempts: 2 },
      },
    ],
    quick: true,
  },
  {
    name: 'redirect',
    plan: [{ type: 'redirect', location: elsewhere }],
    ...{ ends: 'unexpected_status', attempts: 1 },
  },

  {
    name: 'reset before headers',
    plan: [{ type: 'reset', at: 'headers' }],
    ends: 'ok',
    attempts: 2,
  },
  {
    name: 'reset of a connection that was kept',
    plan: [
      { type: 'error', code: 'internal_error' },
      { type: 'reset', at: 'headers' },
    ],
    ...{ ends: 'ok', attempts: 3 },
  },
  {
    name: 'reset before headers, created all the same',
    plan: [{ type: 'reset', at: 'headers', committed: true }],
    ...{ ends: 'ok', attempts: 2 },
  },
  {
    name: 'reset mid-body',
    plan: [{ type: 'reset', at: 'body' }],
    ...{ ends: 'ok', attempts: 2, quick: true },
  },
  {
    name: 'reset mid-body for ever',
    plan: always({ type: 'reset', at: 'body', committed: true }),
    ...{ ends: 'network_error', attempts: 3 },
  },
  {
    name: 'body shorter than its length',
    plan: [{ type: 'truncate', framing: 'length' }],
    ...{ ends: 'ok', attempts: 2 },
  },
  {
    name: 'chunked body without its end',
    plan: [{ type: 'truncate', framing: 'chunked' }],
    ...{ ends: 'ok', attempts: 2 },
  },
  { name: 'no HTTP', plan: [{ type: 'not_http' }], ends: 'ok', attempts: 2 },
  { name: 'broken gzip', plan: [{ type: 'broken_gzip' }], ends: 'ok', attempts: 2 },
  {
    name: 'a response without a request',
    plan: [{ type: 'unsolicited_response', json: { ...intent, id: 'pi_of_another' } }],
    ...{ ends: 'ok', attempts: 2 },
  },
  {
    name: 'no TLS',
    plan: [],
    server: 'called_by_https',
    ...{ ends: 'network_error', attempts: 3, received: 0 },
  },
  {
    name: 'nobody listens',
    plan: [],
    server: 'gone',
    ends: 'network_error',
    attempts: 3,
    received: 0,
  },

  {
    name: 'stalled headers once',
    plan: [{ type: 'stall', at: 'headers' }],
    ...{ ends: 'ok', attempts: 2, atLeast: timeout - 50 },
  },
  {
    name: 'stalled body once',
    plan: [{ type: 'stall', at: 'body' }],
    ...{ ends: 'ok', attempts: 2, atLeast: timeout - 50, quick: true },
  },
  {
    name: 'response after the timeout, created all the same',
    plan: [{ type: 'delay', milliseconds: 2 * timeout }],
    ...{ ends: 'ok', attempts: 2, atLeast: timeout - 50 },
  },
  {
    name: 'stalled headers for ever',
    plan: always({ type: 'stall', at: 'headers' }),
    call: { timeout: shortTimeout },
    ...{ ends: 'timeout', attempts: 3, atLeast: 3 * (shortTimeout - 50) },
  },
  {
    name: 'stalled body for ever',
    plan: always({ type: 'stall', at: 'body', committed: true }),
    call: { timeout: shortTimeout },
    ...{ ends: 'timeout', attempts: 3, atLeast: 3 * (shortTimeout - 50) },
  },
  {
    name: 'a body that trickles',
    plan: always({ type: 'trickle', milliseconds: 100 }),
    call: { timeout: shortTimeout, maxRetries: 1 },
    ...{ ends: 'timeout', attempts: 2, atLeast: 2 * (shortTimeout - 50) },
  },
  {
    name: 'the deadline ends an attempt',
    plan: always({ type: 'stall', at: 'headers' }),
    call: { timeout: longTimeout, deadline: shortTimeout },
    ...{ ends: 'timeout', attempts: 1, atLeast: shortTimeout - 50 },
  },
  {
    name: 'the deadline forbids a wait',
    plan: always({ type: 'page', status: 503, retryAfter: longWait }),
    call: { deadline: 1_000 * (longWait - 1) },
    ...{ ends: 'unexpected_status', attempts: 1, lessThan: 1_000 * (longWait - 1) },
  },

  {
    name: 'broken JSON with 200',
    plan: [{ type: 'broken_json', committed: true }],
    ...{ ends: 'invalid_response', attempts: 1 },
  },
  {
    name: 'wrong shape with 200',
    plan: [{ type: 'wrong_shape' }],
    ...{ ends: 'invalid_response', attempts: 1 },
  },
  {
    name: 'nothing with 200',
    plan: [{ type: 'page', status: 200, body: '' }],
    ...{ ends: 'invalid_response', attempts: 1 },
  },
  {
    name: 'nothing, with 204',
    plan: [{ type: 'page', status: 204, body: '' }],
    ...{ ends: 'invalid_response', attempts: 1 },
  },
  {
    name: 'HTML with 200',
    plan: [{ type: 'page', status: 200 }],
    ...{ ends: 'invalid_response', attempts: 1 },
  },

  {
    name: 'no API key, and an environment without a key',
    plan: [],
    call: { keyless: true },
    ...{ ends: 'api_key_missing', attempts: 0 },
  },
  {
    name: 'aborted before the call',
    plan: [],
    call: { abort: 'before' },
    ...{ ends: 'aborted', attempts: 0 },
  },
  {
    name: 'aborted in flight',
    plan: always({ type: 'stall', at: 'headers' }),
    call: { abort: 'in_flight', timeout: longTimeout },
    ...{ ends: 'aborted', attempts: 1, quick: true },
  },
  {
    name: 'aborted mid-body',
    plan: always({ type: 'stall', at: 'body' }),
    call: { abort: 'in_flight', timeout: longTimeout },
    ...{ ends: 'aborted', attempts: 1 },
  },
  {
    name: 'aborted during back-off',
    plan: always({ type: 'page', status: 503, retryAfter: longWait }),
    call: { abort: 'in_back_off' },
    ...{ ends: 'aborted', attempts: 1, lessThan: 1_000 * longWait },
  },
]
