import { isDetected, isRelayed } from '../service/parseIntent.ts'
import type { SubmitResult } from '../service/submitAuthorization.ts'
import type { Order } from '../wallet/encodeTransfer.ts'
import type { Problem } from '../wallet/problem.ts'
import type { Wallet } from '../wallet/provider/discoverWallets.ts'
import type { WalletResponse } from '../wallet/requestWallet.ts'
import type { CheckoutEffect, CheckoutEvent, CheckoutState, PendingRequest } from './state.ts'
import { type Step, stopSubmitting, stopWatch, toStep } from './step.ts'
import { unresolvedRequests } from './unresolvedRequests.ts'

type RequestEvent = Extract<
  CheckoutEvent,
  { type: 'request_settled' | 'submitted' | 'hash_learned' | 'watch_ended' }
>

/** Reduces the events of requests to pay; a wallet may respond after the payer has moved on. */
export function reduceRequest(state: CheckoutState, event: RequestEvent): Step {
  const request = state.requests.find(({ id }) => id === event.requestId)
  if (!request) return toStep(state)
  switch (event.type) {
    case 'request_settled':
      return settleRequest(state, request, event.response)
    case 'submitted':
      return settleSubmission(state, request, event.result)
    case 'hash_learned':
      return changeRequest(state, { ...request, txHash: event.txHash })
    case 'watch_ended': {
      // Only a receipt proves the end of a request; a missing transaction does not.
      const ended = event.code === 'tx_reverted' ? removeRequest(state, request) : toStep(state)
      const shown = unresolvedRequests(state).includes(request.id) && !state.attempt
      return shown ? showProblem(ended, request, { code: event.code }) : ended
    }
  }
}

function settleRequest(
  state: CheckoutState,
  request: PendingRequest,
  response: WalletResponse,
): Step {
  const { attempt, intent } = state
  const isShown = attempt?.step === 'confirming' && attempt.requestId === request.id
  const sentWith = intent?.status === 'requires_payment' ? request.sentWith : null
  switch (response.outcome) {
    case 'sent':
    case 'duplicate': {
      const { outcome, txHash, batchId } = response
      // The service has seen a payment, most likely this request's.
      if (isDetected(intent)) return removeRequest(state, request)
      const sent: PendingRequest = { ...request, result: outcome, txHash, batchId }
      const step = changeRequest({ ...state, attempt: null }, sent)
      if (!sentWith) return step
      const watch = { type: 'watch', requestId: request.id, request: sent, ...sentWith } as const
      return { ...step, effects: [...step.effects, stopWatch, watch] }
    }
    case 'signed': {
      // Nobody else has the signature: it cannot pay unless this checkout submits it.
      if (!sentWith || isRelayed(intent) || !(isShown || isOnlyPayment(state, request))) {
        return removeRequest(state, request)
      }
      const step = changeRequest({ ...state, attempt: null }, { ...request, result: 'signed' })
      const { signature } = response
      const submit = {
        type: 'submit',
        requestId: request.id,
        order: sentWith.order,
        signature,
      } as const
      return { ...step, effects: [...step.effects, stopSubmitting, submit] }
    }
    case 'unsupported': {
      // Nothing was sent, so the request stays and goes out once more.
      if (!isShown || !sentWith) return removeRequest(state, request)
      const order = { ...sentWith.order, method: 'transaction' } as const
      return toStep(state, {
        type: 'send_request',
        requestId: request.id,
        wallet: sentWith.wallet,
        order,
      })
    }
    case 'refused': {
      const { unsure } = response.problem
      const step = unsure ? toStep(state) : removeRequest(state, request)
      if (isShown) return showProblem(step, request, response.problem)
      return { ...step, state: learnFromProblem(step.state, request, response.problem) }
    }
  }
}

/**
 * Whether only a late signature can still pay. A requested transfer may have been sent until its end is proven, regardless of the payer's
 * word; of two signatures the first counts.
 */
function isOnlyPayment(state: CheckoutState, request: PendingRequest): boolean {
  const account = request.authorization?.from.toLowerCase()
  return unresolvedRequests({ ...state, dismissed: [] }).every((unresolved) => {
    const other = state.requests.find(({ id }) => id === unresolved)
    // The token takes a nonce of an account once.
    return (
      state.abandonedSignatures.includes(unresolved) &&
      other?.authorization?.from.toLowerCase() === account
    )
  })
}

function settleSubmission(
  state: CheckoutState,
  request: PendingRequest,
  result: SubmitResult,
): Step {
  if (result.outcome === 'accepted') return changeRequest(state, { ...request, result: 'sent' })
  const { reason } = result
  // The account has signed the same before, and the token has taken it.
  if (reason === 'authorization_used')
    return changeRequest(state, { ...request, result: 'duplicate' })
  return showProblem(removeRequest(state, request), request, refusal(reason))
}

/** The problem of an authorization that the service refuses, or that the token would refuse. */
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

/** Replaces a request. The change counts even if the payer was sure that nothing was sent: that covered only earlier requests. */
function changeRequest(state: CheckoutState, request: PendingRequest): Step {
  const { intent } = state
  const requests = state.requests.map((candidate) =>
    candidate.id === request.id ? request : candidate,
  )
  const effects: CheckoutEffect[] =
    intent && !isDetected(intent) ? [{ type: 'store', intentId: intent.id, request }] : []
  return { state: { ...state, requests, dismissed: [] }, effects }
}

/** Removes a request. Call it only after a proof that the request will not pay. */
export function removeRequest(state: CheckoutState, { id }: PendingRequest): Step {
  const { intent } = state
  const requests = state.requests.filter((candidate) => candidate.id !== id)
  return {
    state: { ...state, requests },
    effects: intent ? [{ type: 'forget', intentId: intent.id, requestIds: [id] }] : [],
  }
}

/** Shows a problem of a request, if this checkout sent the request. */
export function showProblem(
  { state, effects }: Step,
  request: PendingRequest,
  problem: Problem,
): Step {
  const { sentWith } = request
  if (!sentWith) return { state, effects }
  const attempt = { id: state.attempts, wallet: sentWith.wallet, step: 'failed', problem } as const
  const next = learnFromProblem(state, request, problem)
  return { state: { ...next, attempt, leaving: false }, effects }
}

/** Records a method that the wallet cannot use, so that the next attempt uses another. */
function learnFromProblem(
  state: CheckoutState,
  { sentWith }: PendingRequest,
  problem: Problem,
): CheckoutState {
  return problem.unusable && sentWith
    ? withUnusable(state, sentWith.wallet, sentWith.order.method)
    : state
}

export function withUnusable(
  state: CheckoutState,
  { id: walletId }: Wallet,
  method: Order['method'],
): CheckoutState {
  return { ...state, unusable: [...state.unusable, { walletId, method }] }
}
