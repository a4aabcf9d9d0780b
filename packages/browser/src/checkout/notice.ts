import type { CheckoutErrorCode, CheckoutPayment } from '../checkoutOptions.ts'
import { isDetected } from '../service/parseIntent.ts'
import { paymentHash, problemDetail, screen } from './screen.ts'
import type { CheckoutState } from './state.ts'

export type Notice =
  | { name: 'success' | 'pending'; payment: CheckoutPayment }
  /** `detail` distinguishes problems of one code. */
  | { name: 'error'; code: CheckoutErrorCode; detail?: string }

/** Polls that fail in a row before the page gets an error. */
const triesBeforeError = 3

/** The callback for a state; the page gets each kind once. */
export function noticeFor(state: CheckoutState): Notice | null {
  const shown = screen(state)
  switch (shown.name) {
    case 'unknown_token':
      return { name: 'error', code: 'internal_error', detail: 'unknown_token' }
    case 'not_found':
    case 'expired':
    case 'canceled':
      return { name: 'error', code: `intent_${shown.name}` }
    case 'problem':
      return { name: 'error', code: shown.problem.code, detail: problemDetail(shown.problem) }
    case 'sent':
      if (shown.source === 'duplicate') return { name: 'error', code: 'duplicate_submission' }
  }
  const { intent, outage } = state
  const tx_hash = paymentHash(state)
  // A payment that a reorganisation has removed has no hash.
  if (intent && tx_hash && isDetected(intent)) {
    const name = intent.status === 'succeeded' ? 'success' : 'pending'
    return { name, payment: { payment_intent_id: intent.id, tx_hash } }
  }
  if (outage && outage.tries >= triesBeforeError) {
    return { name: 'error', code: causes[outage.cause] }
  }
  if (shown.name === 'pay' && shown.availableMethods.length === 1 && state.wallets.length === 0) {
    return { name: 'error', code: 'wallet_not_found' }
  }
  return null
}

const causes = {
  offline: 'network_error',
  unreachable: 'network_error',
  rate_limited: 'rate_limited',
  faulty: 'internal_error',
} as const
