import { mergeStored } from '../storage/mergeStored.ts'
import { toPayment } from '../wallet/prepareOrder.ts'
import type { Problem } from '../wallet/problem.ts'
import { withUnusable } from './reduceRequest.ts'
import type { Attempt, CheckoutEvent, CheckoutState, PendingRequest } from './state.ts'
import { type Step, toStep } from './step.ts'
import { blockers, signedBefore } from './unresolvedRequests.ts'

type AttemptEvent = Extract<
  CheckoutEvent,
  {
    type:
      | 'wallet_chosen'
      | 'wake_requested'
      | `attempt_${string}`
      | 'lock_settled'
      | 'payer_announced'
  }
>

/** Reduces the events from the choice of a wallet until the wallet receives the payment request. */
export function reduceAttempt(before: CheckoutState, event: AttemptEvent, now: number): Step {
  // The lock outlasts the attempt that acquired it, so later attempts of this tab see that it is not free.
  const holdsLock = before.holdsLock || (event.type === 'lock_settled' && event.acquired)
  const state = { ...before, holdsLock }
  if (event.type === 'wallet_chosen') return startAttempt(state, event, now)
  if (event.type === 'attempt_left') {
    return toStep({ ...state, attempt: null, leaving: false })
  }
  if (event.type === 'wake_requested') return repeatRequest(state, now)
  const { attempt } = state
  // An event of an attempt that is over.
  if (attempt?.id !== event.id || !('order' in attempt)) return toStep(state)
  switch (event.type) {
    case 'attempt_moved':
      return toStep({ ...state, attempt: { ...attempt, step: event.step } })
    case 'attempt_prepared': {
      const { id, prepared } = event
      if (prepared.outcome === 'failed') {
        const { problem } = prepared
        // Without gas, a signature is the only way: the next attempt requests it, though it failed before.
        const isStuck = problem.code === 'insufficient_gas'
        const next = isStuck ? withUnusable(state, attempt.wallet, 'transaction') : state
        return failAttempt(next, attempt, problem)
      }
      if (prepared.outcome === 'abandoned' || !state.intent) return endAttempt(state)
      const ready = { ...state, attempt: { ...attempt, order: prepared.order } }
      return toStep(ready, { type: 'take_lock', id, intentId: state.intent.id })
    }
    case 'lock_settled': {
      const merged = mergeStored(state, event.stored)
      // Another tab has requested the payment from its wallet; the screen shows that instead.
      if (blockers(merged).length > 0) return endAttempt(merged)
      if (!holdsLock)
        return failAttempt(merged, attempt, { code: 'request_pending', otherTab: true })
      const { order } = attempt
      if (merged.intent?.manual || !order || order.authorization)
        return stepToRequest(merged, attempt, now)
      return toStep(merged, { type: 'announce_payer', id: event.id, payer: order.payer })
    }
    case 'payer_announced':
      if (!event.credited) return failAttempt(state, attempt, { code: 'network_error' })
      return stepToRequest(state, attempt, now)
  }
}

/**
 * Repeats a request within the payer's click, during which a wallet may open a window. Two requests for a signature may stay
 * open, since the token accepts a nonce only once. A transfer is not requested twice: the wallet only shows its window.
 */
function repeatRequest(state: CheckoutState, now: number): Step {
  const { attempt } = state
  if (!attempt || attempt.step === 'failed') return toStep(state)
  const { id, wallet } = attempt
  if (attempt.step !== 'confirming') return startAttempt(state, attempt, now)
  const request = state.requests.find((candidate) => candidate.id === attempt.requestId)
  const order = request?.sentWith?.order
  if (!order?.authorization || !isPayable(state, now)) {
    return toStep(state, { type: 'wake', wallet })
  }
  return stepToRequest(state, { id, wallet, step: 'checking', order }, now)
}

type WalletChoice = Omit<Extract<CheckoutEvent, { type: 'wallet_chosen' }>, 'type'>

function startAttempt(before: CheckoutState, event: WalletChoice, now: number): Step {
  const { wallet, isSponsored = false, unsigned } = event
  const { intent } = before
  if (!intent || !isPayable(before, now)) return toStep(before)
  const state = unsigned ? withUnusable(before, wallet, 'authorization') : before
  const id = state.attempts + 1
  const attempt: Attempt = { id, wallet, step: 'connecting', order: null, isSponsored }
  const merged = toPayment(intent, now + state.clockOffsetMs)
  const unusable = state.unusable.flatMap(({ walletId, method }) =>
    walletId === wallet.id ? [method] : [],
  )
  const payment = {
    ...merged,
    ...{ isSponsored, unusable },
    onlyFrom: signedBefore(state),
    gasless: isSponsored ? null : merged.gasless,
  }
  const next = { ...state, attempt, attempts: id, leaving: false }
  return toStep(next, { type: 'prepare', id, wallet, payment })
}

type Preparing = Extract<Attempt, { order: unknown }>

/**
 * Adds a request to the state and sends it to the wallet. Only `reduceRequest` sends another: the same request as a transaction, once the
 * wallet has refused it as a batch.
 */
function stepToRequest(state: CheckoutState, { id, wallet, order }: Preparing, now: number): Step {
  const { intent } = state
  if (!intent || !order || !isPayable(state, now)) return endAttempt(state)
  const request: PendingRequest = {
    id: `${now}-${id}`,
    amount: order.amount,
    requestedAt: now,
    result: 'none',
    txHash: null,
    batchId: null,
    authorization: order.authorization && {
      from: order.payer,
      validBefore: Number(order.authorization.message.validBefore),
    },
    sentWith: { wallet, order },
  }
  return toStep(
    {
      ...state,
      attempt: { id, wallet, step: 'confirming', requestId: request.id },
      requests: [...state.requests, request],
      // Before a third request, the payer has to confirm again.
      dismissed: [],
    },
    // Stored before the request reaches the wallet: the page may close at any moment after.
    { type: 'store', intentId: intent.id, request },
    { type: 'send_request', requestId: request.id, wallet, order },
  )
}

function isPayable(state: CheckoutState, now: number): boolean {
  const { intent, clockOffsetMs } = state
  if (intent?.status !== 'requires_payment' || blockers(state).length > 0) return false
  // By the service's clock; the chain's clock decides in the end.
  return now + clockOffsetMs < Date.parse(intent.expires_at)
}

function failAttempt(state: CheckoutState, { id, wallet }: Preparing, problem: Problem): Step {
  const attempt: Attempt = { id, wallet, step: 'failed', problem }
  return toStep({ ...state, attempt, leaving: false })
}

function endAttempt(state: CheckoutState): Step {
  return toStep({ ...state, attempt: null })
}
