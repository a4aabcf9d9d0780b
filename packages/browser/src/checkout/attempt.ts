import { mergeKept } from '../storage/mergeKept.ts'
import { toPayment } from '../wallet/prepareOrder.ts'
import type { Problem } from '../wallet/problem.ts'
import { blocking, signedBefore } from './doubts.ts'
import { withUnusable } from './requests.ts'
import type { Attempt, CheckoutEvent, CheckoutState, KnownRequest } from './state.ts'
import { type Step, toStep } from './step.ts'

type AttemptEvent = Extract<
  CheckoutEvent,
  {
    type:
      | 'wallet_chosen'
      | 'asked_again'
      | `attempt_${string}`
      | 'lock_answered'
      | 'payer_announced'
  }
>

/** Reduces the events from the choice of a wallet until the wallet receives the payment request. */
export function reduceAttempt(before: CheckoutState, event: AttemptEvent, now: number): Step {
  // The lock outlasts the attempt that took it; for this tab's next attempt, it is no longer free.
  const holdsLock = before.holdsLock || (event.type === 'lock_answered' && event.taken)
  const state = { ...before, holdsLock }
  if (event.type === 'wallet_chosen') return chosen(state, event, now)
  if (event.type === 'attempt_left') {
    return toStep({ ...state, attempt: null, leaving: false })
  }
  if (event.type === 'asked_again') return again(state, now)
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
        return failed(next, attempt, problem)
      }
      if (prepared.outcome === 'abandoned' || !state.intent) return dropped(state)
      const ready = { ...state, attempt: { ...attempt, order: prepared.order } }
      return toStep(ready, { type: 'take_lock', id, intentId: state.intent.id })
    }
    case 'lock_answered': {
      const known = mergeKept(state, event.kept)
      // Another tab has requested the payment from its wallet; the screen shows that instead.
      if (blocking(known).length > 0) return dropped(known)
      if (!holdsLock) return failed(known, attempt, { code: 'request_pending', otherTab: true })
      const { order } = attempt
      if (known.intent?.manual || !order || order.authorization) return ask(known, attempt, now)
      return toStep(known, { type: 'announce_payer', id: event.id, payer: order.payer })
    }
    case 'payer_announced':
      if (!event.known) return failed(state, attempt, { code: 'network_error' })
      return ask(state, attempt, now)
  }
}

/**
 * Repeats a request within the payer's click, in which a wallet may open a window. Both requests for a signature stay open:
 * the token takes its nonce once. A transfer is not requested twice; the wallet is only opened.
 */
function again(state: CheckoutState, now: number): Step {
  const { attempt } = state
  if (!attempt || attempt.step === 'failed') return toStep(state)
  const { id, wallet } = attempt
  if (attempt.step !== 'confirming') return chosen(state, attempt, now)
  const request = state.requests.find((one) => one.id === attempt.requestId)
  const order = request?.here?.order
  if (!order?.authorization || !isPayable(state, now)) {
    return toStep(state, { type: 'wake', wallet })
  }
  return ask(state, { id, wallet, step: 'checking', order }, now)
}

type Chosen = Omit<Extract<CheckoutEvent, { type: 'wallet_chosen' }>, 'type'>

function chosen(before: CheckoutState, event: Chosen, now: number): Step {
  const { wallet, isSponsored = false, unsigned } = event
  const { intent } = before
  if (!intent || !isPayable(before, now)) return toStep(before)
  const state = unsigned ? withUnusable(before, wallet, 'authorization') : before
  const id = state.attempts + 1
  const attempt: Attempt = { id, wallet, step: 'connecting', order: null, isSponsored }
  const known = toPayment(intent, now + state.clockOffsetMs)
  const unusable = state.unusable.flatMap(({ walletId, method }) =>
    walletId === wallet.id ? [method] : [],
  )
  const payment = {
    ...known,
    ...{ isSponsored, unusable },
    onlyFrom: signedBefore(state),
    gasless: isSponsored ? null : known.gasless,
  }
  const next = { ...state, attempt, attempts: id, leaving: false }
  return toStep(next, { type: 'prepare', id, wallet, payment })
}

type Preparing = Extract<Attempt, { order: unknown }>

/** The only place that requests money from a wallet. */
function ask(state: CheckoutState, { id, wallet, order }: Preparing, now: number): Step {
  const { intent } = state
  if (!intent || !order || !isPayable(state, now)) return dropped(state)
  const request: KnownRequest = {
    id: `${now}-${id}`,
    amount: order.amount,
    askedAt: now,
    answer: 'none',
    txHash: null,
    batchId: null,
    authorization: order.authorization && {
      from: order.payer,
      validBefore: Number(order.authorization.message.validBefore),
    },
    here: { wallet, order },
  }
  return toStep(
    {
      ...state,
      attempt: { id, wallet, step: 'confirming', requestId: request.id },
      requests: [...state.requests, request],
      // Before a third request, the payer has to confirm again.
      insistedOn: [],
    },
    // Stored before the request reaches the wallet: the page may close at any moment after.
    { type: 'keep', intentId: intent.id, request },
    { type: 'ask', requestId: request.id, wallet, order },
  )
}

function isPayable(state: CheckoutState, now: number): boolean {
  const { intent, clockOffsetMs } = state
  if (intent?.status !== 'requires_payment' || blocking(state).length > 0) return false
  // By the service's clock; the chain's clock decides in the end.
  return now + clockOffsetMs < Date.parse(intent.expires_at)
}

function failed(state: CheckoutState, { id, wallet }: Preparing, problem: Problem): Step {
  const attempt: Attempt = { id, wallet, step: 'failed', problem }
  return toStep({ ...state, attempt, leaving: false })
}

function dropped(state: CheckoutState): Step {
  return toStep({ ...state, attempt: null })
}
