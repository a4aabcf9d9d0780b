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
    ['none while the intent loads', [], null],
    ['none while a wallet connects', [walletsDiscovered, resolved(), chosen], null],
    ['none for a request of another tab', [resolved({}, [storedRequest])], null],
    ['none for a payment that only the wallet has seen', paying, null],
    [
      'pending once the payment is seen on chain',
      [resolved({ status: 'pending_confirmations', tx_hash: txHash })],
      { name: 'pending', payment },
    ],
    [
      'success once the payment succeeds',
      [resolved({ status: 'succeeded', tx_hash: txHash })],
      { name: 'success', payment },
    ],
    [
      'none for a success that a reorg removed',
      [resolved({ status: 'succeeded', exceptions: ['reorged'], tx_hash: null })],
      null,
    ],
    [
      'an error for a payment that the wallet had sent before',
      [...requesting, walletResponse({ outcome: 'duplicate', txHash: null, batchId: null })],
      { name: 'error', code: 'duplicate_submission' },
    ],
    [
      'an error for a transaction that no node shows',
      [...paying, transactionDropped],
      { name: 'error', code: 'tx_dropped', detail: 'tx_dropped' },
    ],
    [
      'an error for a refusal',
      [...requesting, declined],
      { name: 'error', code: 'user_rejected', detail: 'user_rejected' },
    ],
    [
      'an error for an expired intent',
      [resolved({ status: 'expired' })],
      { name: 'error', code: 'intent_expired' },
    ],
    [
      'an error for a canceled intent',
      [resolved({ status: 'canceled' })],
      { name: 'error', code: 'intent_canceled' },
    ],
    [
      'an error for an unknown secret',
      [{ type: 'not_found' }],
      { name: 'error', code: 'intent_not_found' },
    ],
    [
      'an error without a wallet if only a wallet can pay',
      [resolved({ manual: null })],
      { name: 'error', code: 'wallet_not_found' },
    ],
    ['none for a short outage', silent('offline').slice(1), null],
    ['an error for a lasting outage', silent('offline'), { name: 'error', code: 'network_error' }],
    [
      'an error for a busy service',
      silent('rate_limited'),
      { name: 'error', code: 'rate_limited' },
    ],
    ['an error for a broken service', silent('faulty'), { name: 'error', code: 'internal_error' }],
  ])('is %s', (_, events, expected) => {
    expect(noticeFor(after(...events))).toEqual(expected)
  })
})
