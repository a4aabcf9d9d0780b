import { describe, expect, test } from 'vitest'
import {
  after,
  chosen,
  declined,
  paying,
  requesting,
  resolved,
  storedRequest,
  transactionDropped,
  walletResponse,
  walletsDiscovered,
} from '../../test/support/checkoutEvents.ts'
import { txHash } from '../../test/support/testIntents.ts'
import { noticeFor } from './notice.ts'
import type { CheckoutEvent } from './state.ts'

describe('the notice for the page', () => {
  const silent = (cause: 'offline' | 'rate_limited' | 'faulty'): CheckoutEvent[] =>
    Array.from({ length: 3 }, () => ({ type: 'poll_failed', cause }))
  const payment = { payment_intent_id: 'pi_test_0001', tx_hash: txHash }

  test.each<[string, CheckoutEvent[], object | null]>([
    ['none while it loads', [], null],
    ['none while connecting', [walletsDiscovered, resolved(), chosen], null],
    ['none of a request that another tab has made', [resolved({}, [storedRequest])], null],
    ['none of a payment that only the wallet has seen', paying, null],
    [
      'pending once seen on chain',
      [resolved({ status: 'pending_confirmations', tx_hash: txHash })],
      { name: 'pending', payment },
    ],
    ['success', [resolved({ status: 'succeeded', tx_hash: txHash })], { name: 'success', payment }],
    [
      'none of a success that a reorg removed',
      [resolved({ status: 'succeeded', exceptions: ['reorged'], tx_hash: null })],
      null,
    ],
    [
      'a payment that the wallet had sent before',
      [...requesting, walletResponse({ outcome: 'duplicate', txHash: null, batchId: null })],
      { name: 'error', code: 'duplicate_submission' },
    ],
    [
      'a transaction that is not seen',
      [...paying, transactionDropped],
      { name: 'error', code: 'tx_dropped', detail: 'tx_dropped' },
    ],
    [
      'a refusal',
      [...requesting, declined],
      { name: 'error', code: 'user_rejected', detail: 'user_rejected' },
    ],
    ['expiry', [resolved({ status: 'expired' })], { name: 'error', code: 'intent_expired' }],
    [
      'cancellation',
      [resolved({ status: 'canceled' })],
      { name: 'error', code: 'intent_canceled' },
    ],
    ['an unknown secret', [{ type: 'not_found' }], { name: 'error', code: 'intent_not_found' }],
    [
      'an intent that only a wallet can pay, without one',
      [resolved({ manual: null })],
      { name: 'error', code: 'wallet_not_found' },
    ],
    ['none of a short outage', silent('offline').slice(1), null],
    ['a lasting outage', silent('offline'), { name: 'error', code: 'network_error' }],
    ['a busy service', silent('rate_limited'), { name: 'error', code: 'rate_limited' }],
    ['a broken service', silent('faulty'), { name: 'error', code: 'internal_error' }],
  ])('%s', (_, events, expected) => {
    expect(noticeFor(after(...events))).toEqual(expected)
  })
})
