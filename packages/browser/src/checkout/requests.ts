import type { HandedIn } from '../service/handIn.ts'
import { isRelayed, isSeen } from '../service/parseIntent.ts'
import type { WalletAnswer } from '../wallet/askWallet.ts'
import type { Problem } from '../wallet/problem.ts'
import type { Wallet } from '../wallet/provider/discoverWallets.ts'
import type { Order } from '../wallet/transfer.ts'
import { doubts } from './doubts.ts'
import type { CheckoutEffect, CheckoutEvent, CheckoutState, KnownRequest } from './state.ts'
import { type Step, stopHandIn, stopWatch, toStep } from './step.ts'

type RequestEvent = Extract<
  CheckoutEvent,
  { type: 'request_answered' | 'handed_in' | 'hash_learned' | 'watch_ended' }
>

/** Reduces the events of requests to pay; a wallet may respond after the payer has moved on. */
export function reduceRequest(state: CheckoutState, event: RequestEvent): Step {
  const request = state.requests.find(({ id }) => id === event.requestId)
  if (!request) return toStep(state)
  switch (event.type) {
    case 'request_answered':
      return answered(state, request, event.answer)
    case 'handed_in':
      return handedIn(state, request, event.answer)
    case 'hash_learned':
      return changed(state, { ...request, txHash: event.txHash })
    case 'watch_ended': {
      // Only a receipt proves the end of a request; a missing transaction does not.
      const ended = event.code === 'tx_reverted' ? removed(state, request) : toStep(state)
      const shown = doubts(state).includes(request.id) && !state.attempt
      return shown ? problem(ended, request, { code: event.code }) : ended
    }
  }
}

function answered(state: CheckoutState, request: KnownRequest, answer: WalletAnswer): Step {
  const { attempt, intent } = state
  const isShown = attempt?.step === 'confirming' && attempt.requestId === request.id
  const here = intent?.status === 'requires_payment' ? request.here : null
  switch (answer.outcome) {
    case 'sent':
    case 'duplicate': {
      const { outcome, txHash, batchId } = answer
      // The service has seen a payment, most likely this request's.
      if (isSeen(intent)) return removed(state, request)
      const sent: KnownRequest = { ...request, answer: outcome, txHash, batchId }
      const step = changed({ ...state, attempt: null }, sent)
      if (!here) return step
      const watch = { type: 'watch', requestId: request.id, request: sent, ...here } as const
      return { ...step, effects: [...step.effects, stopWatch, watch] }
    }
    case 'signed': {
      // Nobody else has the signature: it cannot pay unless this checkout submits it.
      if (!here || isRelayed(intent) || !(isShown || isOnlyPayment(state, request))) {
        return removed(state, request)
      }
      const step = changed({ ...state, attempt: null }, { ...request, answer: 'signed' })
      const { signature } = answer
      const hands = {
        type: 'hand_in',
        requestId: request.id,
        order: here.order,
        signature,
      } as const
      return { ...step, effects: [...step.effects, stopHandIn, hands] }
    }
    case 'unsupported': {
      if (!isShown || !here) return removed(state, request)
      const order = { ...here.order, method: 'transaction' } as const
      return toStep(state, { type: 'ask', requestId: request.id, wallet: here.wallet, order })
    }
    case 'refused': {
      const { unsure } = answer.problem
      const step = unsure ? toStep(state) : removed(state, request)
      if (isShown) return problem(step, request, answer.problem)
      return { ...step, state: learned(step.state, request, answer.problem) }
    }
  }
}

/**
 * Whether only a late signature can still pay. A requested transfer may have been sent until its end is proven, regardless of the payer's
 * word; of two signatures the first counts.
 */
function isOnlyPayment(state: CheckoutState, request: KnownRequest): boolean {
  const account = request.authorization?.from.toLowerCase()
  return doubts({ ...state, insistedOn: [] }).every((doubt) => {
    const other = state.requests.find(({ id }) => id === doubt)
    // The token takes a nonce of an account once.
    return state.gone.includes(doubt) && other?.authorization?.from.toLowerCase() === account
  })
}

function handedIn(state: CheckoutState, request: KnownRequest, answer: HandedIn): Step {
  if (answer.outcome === 'taken') return changed(state, { ...request, answer: 'sent' })
  const { reason } = answer
  // The account has signed the same before, and the token has taken it.
  if (reason === 'authorization_used') return changed(state, { ...request, answer: 'duplicate' })
  return problem(removed(state, request), request, refusal(reason))
}

/** The problem of an authorization that the service does not take, or that the token would not. */
export function refusal(reason: string | null): Problem {
  switch (reason) {
    case 'insufficient_token':
    case 'address_blocked':
    case 'token_paused':
    case 'intent_expired':
      return { code: reason }
    case 'payment_in_flight':
      return { code: 'request_pending', otherTab: true }
    default:
      return { code: 'internal_error', unusable: true, needsFee: true }
  }
}

/** Counts even if the payer was sure that nothing was sent: that covered only earlier requests. */
function changed(state: CheckoutState, request: KnownRequest): Step {
  const { intent } = state
  const requests = state.requests.map((one) => (one.id === request.id ? request : one))
  const effects: CheckoutEffect[] =
    intent && !isSeen(intent) ? [{ type: 'keep', intentId: intent.id, request }] : []
  return { state: { ...state, requests, insistedOn: [] }, effects }
}

/** Only after a proof that the request will not pay. */
export function removed(state: CheckoutState, { id }: KnownRequest): Step {
  const { intent } = state
  const requests = state.requests.filter((one) => one.id !== id)
  return {
    state: { ...state, requests },
    effects: intent ? [{ type: 'forget', intentId: intent.id, requestIds: [id] }] : [],
  }
}

export function problem({ state, effects }: Step, request: KnownRequest, problem: Problem): Step {
  const { here } = request
  if (!here) return { state, effects }
  const attempt = { id: state.attempts, wallet: here.wallet, step: 'failed', problem } as const
  const next = learned(state, request, problem)
  return { state: { ...next, attempt, leaving: false }, effects }
}

/** The facts about the wallet that a problem reveals, for the next attempt. */
function learned(state: CheckoutState, { here }: KnownRequest, problem: Problem): CheckoutState {
  return problem.unusable && here ? withUnusable(state, here.wallet, here.order.method) : state
}

export function withUnusable(
  state: CheckoutState,
  { id: walletId }: Wallet,
  method: Order['method'],
): CheckoutState {
  return { ...state, unusable: [...state.unusable, { walletId, method }] }
}
