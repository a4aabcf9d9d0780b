import { doubts } from './doubts.ts'
import { mergeKept } from './mergeKept.ts'
import type {
  Attempt,
  CheckoutEffect,
  CheckoutEvent,
  CheckoutState,
  KnownRequest,
  Step,
} from './state.ts'
import { toPayment } from './wallet/prepareOrder.ts'
import type { Problem } from './wallet/problem.ts'

type AttemptEvent = Extract<
  CheckoutEvent,
  { type: 'wallet_chosen' | `attempt_${string}` | 'lock_answered' | 'payer_announced' }
>

const stop: CheckoutEffect = { type: 'stop', work: 'attempt' }

/** Reduces the events from the choice of a wallet until it is asked to pay. */
export function reduceAttempt(before: CheckoutState, event: AttemptEvent, now: number): Step {
  // The lock outlasts the attempt that took it; for this tab's next attempt, it is no longer free.
  const holdsLock = before.holdsLock || (event.type === 'lock_answered' && event.taken)
  const state = { ...before, holdsLock }
  if (event.type === 'wallet_chosen') return chosen(state, event.wallet, now)
  if (event.type === 'attempt_left') {
    const left = { ...state, attempt: null, leaving: false }
    return { state: left, effects: [stop] }
  }
  const { attempt } = state
  // An event of an attempt that is over.
  if (attempt?.id !== event.id || !('order' in attempt)) return { state, effects: [] }
  switch (event.type) {
    case 'attempt_moved':
      return { state: { ...state, attempt: { ...attempt, step: event.step } }, effects: [] }
    case 'attempt_prepared': {
      const { id, prepared } = event
      if (prepared.outcome === 'failed') return failed(state, attempt, prepared.problem)
      if (prepared.outcome === 'abandoned' || !state.intent) return dropped(state)
      const { order } = prepared
      return {
        state: { ...state, attempt: { ...attempt, order } },
        effects: [{ type: 'take_lock', id, intentId: state.intent.id }],
      }
    }
    case 'lock_answered': {
      const known = mergeKept(state, event.kept)
      if (!holdsLock) {
        // The other tab has asked its wallet; the screen shows that instead.
        if (doubts(known).length > 0) return dropped(known)
        return failed(known, attempt, { code: 'request_pending', otherTab: true })
      }
      const { order } = attempt
      if (known.intent?.manual || !order) return ask(known, attempt, now)
      const announce = { type: 'announce_payer', id: event.id, payer: order.payer } as const
      return { state: known, effects: [announce] }
    }
    case 'payer_announced':
      if (!event.known) return failed(state, attempt, { code: 'network_error' })
      return ask(state, attempt, now)
  }
}

function chosen(state: CheckoutState, wallet: Attempt['wallet'], now: number): Step {
  const { intent } = state
  if (!intent || !isPayable(state, now)) return { state, effects: [] }
  const id = state.attempts + 1
  const attempt: Attempt = { id, wallet, step: 'connecting', order: null }
  return {
    state: { ...state, attempt, attempts: id, leaving: false },
    effects: [stop, { type: 'prepare', id, wallet, payment: toPayment(intent) }],
  }
}

type Preparing = Extract<Attempt, { order: unknown }>

/** The only place that asks a wallet for money. */
function ask(state: CheckoutState, { id, wallet, order }: Preparing, now: number): Step {
  const { intent } = state
  if (!intent || !order || !isPayable(state, now)) return dropped(state)
  const request: KnownRequest = {
    id: `${now}-${id}`,
    amount: order.amount,
    askedAt: now,
    rail: order.rail,
    answer: 'none',
    txHash: null,
    batchId: null,
    here: { wallet, order },
  }
  return {
    state: {
      ...state,
      attempt: { id, wallet, step: 'confirming', requestId: request.id },
      requests: [...state.requests, request],
      // Before a third request, the payer has to confirm again.
      insistedOn: [],
    },
    // Stored before the wallet is asked: the page may close at any moment after.
    effects: [
      { type: 'keep', intentId: intent.id, request },
      { type: 'ask', requestId: request.id, wallet, order },
    ],
  }
}

function isPayable(state: CheckoutState, now: number): boolean {
  const { intent, clockOffsetMs } = state
  if (intent?.status !== 'requires_payment' || doubts(state).length > 0) return false
  // By the service's clock; the chain's clock decides in the end.
  return now + clockOffsetMs < Date.parse(intent.expires_at)
}

function failed(state: CheckoutState, { id, wallet }: Preparing, problem: Problem): Step {
  const attempt: Attempt = { id, wallet, step: 'failed', problem }
  return { state: { ...state, attempt, leaving: false }, effects: [] }
}

function dropped(state: CheckoutState): Step {
  return { state: { ...state, attempt: null }, effects: [] }
}
