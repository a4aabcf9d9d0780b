import { manualDue, payableDue, toDecimal } from '../lib/amount.ts'
import { type Intent, isDetected, isRelayed } from '../service/parseIntent.ts'
import { mergeStored } from '../storage/mergeStored.ts'
import type { WalletRequest } from '../storage/walletRequests.ts'
import { reduceAttempt } from './attempt.ts'
import { reduceRequest, refusal, removeRequest, showProblem } from './reduceRequest.ts'
import { paymentHash } from './screen.ts'
import type {
  CheckoutEffect,
  CheckoutEvent,
  CheckoutState,
  CopyField,
  PendingRequest,
} from './state.ts'
import { type Step, stopAttempt, stopSubmitting, stopWatch, toStep } from './step.ts'
import { isUnsigned, unresolvedRequests } from './unresolvedRequests.ts'

/**
 * Returns the next state and its effects. Pure: stored requests and the results of effects arrive in events.
 *
 * @param now this browser's clock, in milliseconds
 */
export function reduce(state: CheckoutState, event: CheckoutEvent, now: number): Step {
  const step = reduceEvent(state, event, now)
  if (step.state.attempt?.id === state.attempt?.id) return step
  // Stop the attempt before the effects of the next attempt run.
  return { ...step, effects: [stopAttempt, ...step.effects] }
}

function then({ state, effects }: Step, next: (state: CheckoutState) => Step): Step {
  const step = next(state)
  return { ...step, effects: [...effects, ...step.effects] }
}

/** Gives up the open requests to sign: an unsubmitted signature cannot pay. */
function removeUnsigned(state: CheckoutState): Step {
  return state.requests
    .filter(isUnsigned)
    .reduce<Step>(
      (step, request) => then(step, (current) => removeRequest(current, request)),
      toStep(state),
    )
}

function reduceEvent(state: CheckoutState, event: CheckoutEvent, now: number): Step {
  switch (event.type) {
    case 'resolved': {
      const hasReserved = state.hasReserved || event.reserved === true
      return updateIntent({ ...state, hasReserved }, event.intent, event.stored, now)
    }
    case 'not_found':
    case 'unknown_token':
      return toStep({ ...state, unpayable: event.type, outage: null, attempt: null })
    case 'poll_failed': {
      const tries = (state.outage?.tries ?? 0) + 1
      return toStep({ ...state, outage: { cause: event.cause, tries } })
    }
    case 'wallets_found':
      return toStep({ ...state, wallets: event.wallets })
    case 'requests_changed':
      return toStep(mergeStored(state, event.stored))
    case 'closed':
      return removeUnsigned({ ...state, attempt: null })
    case 'dismissed': {
      const dismissed = [...state.dismissed, ...unresolvedRequests(state)]
      return toStep({ ...state, attempt: null, dismissed, leaving: false }, stopWatch)
    }
    case 'payment_method_chosen': {
      const next = { ...state, paymentMethod: event.paymentMethod, hasReserved: false }
      // The service sees a payment by hand late, so a signature after it could pay a second time.
      return event.paymentMethod === 'qr' ? removeUnsigned(next) : toStep(next)
    }
    case 'pointer_changed':
      return toStep({ ...state, onPhone: event.coarse })
    case 'handed_off':
      return toStep({ ...state, handoff: event.url })
    case 'qr_chosen':
      return toStep({ ...state, qrContent: event.content, hasReserved: false })
    case 'copy_requested':
      return copy(state, event.field)
    case 'copied': {
      const next = { ...state, copied: event.field }
      if (!event.field) return toStep(next)
      return toStep(next, { type: 'stop', work: 'copied' }, { type: 'clear_copied' })
    }
    case 'near_miss_classified':
      return toStep({
        ...state,
        nearMissOwners: { ...state.nearMissOwners, [event.txHash]: event.owner },
      })
    case 'leave_requested':
      return toStep({ ...state, leaving: true })
    case 'stayed':
      return toStep({ ...state, leaving: false })
    case 'requesters_closed':
      return state.requests.reduce<Step>((step, request) => {
        if (!isElsewhere(request) || !event.requestIds.includes(request.id)) return step
        return then(step, (removedState) =>
          request.result === 'none'
            ? removeRequest(removedState, request)
            : toStep({
                ...removedState,
                abandonedSignatures: [...removedState.abandonedSignatures, request.id],
              }),
        )
      }, toStep(state))
    case 'request_settled':
    case 'submitted':
    case 'hash_learned':
    case 'watch_ended':
      return reduceRequest(state, event)
    default:
      return reduceAttempt(state, event, now)
  }
}

function updateIntent(
  before: CheckoutState,
  intent: Intent,
  stored: readonly WalletRequest[],
  now: number,
): Step {
  // Responses can arrive out of order; an older one only shows that the service is reachable.
  if (before.intent && intent.version < before.intent.version) {
    return toStep({ ...before, outage: null })
  }
  const state = mergeStored(before, stored)
  const isOpen = intent.status === 'requires_payment'
  const { authorization } = intent
  // A part has arrived, so an attempt to pay the whole amount ends.
  const changes = before.intent !== null && payableDue(before.intent) !== payableDue(intent)
  const stops = changes || isDetected(intent) || isRelayed(intent)
  const requests = state.requests.filter((request) => {
    // The screen of an ended intent says that the wallet may still show its request.
    if (isUnsigned(request)) return !stops
    // A request still open in a wallet may pay a second time.
    if (isDetected(intent)) return request.sentWith && request.result === 'none'
    if (isOver(request, intent)) return false
    return request.txHash === null || request.txHash !== intent.tx_hash
  })
  const effects: CheckoutEffect[] = []
  if (!isOpen) effects.push(stopWatch, stopSubmitting)
  const ended = state.requests.filter(
    (request) => isDetected(intent) || !requests.includes(request),
  )
  if (ended.length > 0) {
    effects.push({ type: 'forget', intentId: intent.id, requestIds: ended.map(({ id }) => id) })
  }
  const next: CheckoutState = {
    ...state,
    intent,
    requests,
    attempt: stops || !isOpen ? null : state.attempt,
    outage: null,
    payer: payerOf(state, intent) ?? state.payer,
    openedPaid: state.intent ? state.openedPaid : intent.status === 'succeeded',
    // Once a payment is seen, the payer's assurance that nothing was sent no longer applies.
    dismissed: isOpen ? state.dismissed : [],
    clockOffsetMs: Date.parse(intent.server_time) - now,
  }
  // After a reload, the page that requested a signature can neither receive nor submit it.
  const requestIds = requests.filter(isElsewhere).map(({ id }) => id)
  if (requestIds.length > 0)
    effects.push({ type: 'find_requesters', intentId: intent.id, requestIds })
  const step = toStep(next, ...effects)
  if (authorization?.status !== 'refused' || next.attempt) return step
  const refused = state.requests.find((request) => !requests.includes(request))
  return refused ? showProblem(step, refused, refusal(authorization.reason)) : step
}

/** The account that sent the paying transaction, or that signed for it, if this checkout requested it. */
function payerOf({ requests }: CheckoutState, { tx_hash, authorization }: Intent): string | null {
  if (!tx_hash) return null
  if (authorization?.tx_hash === tx_hash) return authorization.from
  return requests.find(({ txHash }) => txHash === tx_hash)?.sentWith?.order.payer ?? null
}

/** Whether a page that may be closed requested a signature and has not submitted it. */
function isElsewhere({ sentWith, authorization, result }: PendingRequest): boolean {
  return !sentWith && authorization !== null && /^(none|signed)$/.test(result)
}

/** Whether a signed authorization cannot pay any more: the service has given it up, or it has expired. */
function isOver({ authorization: signed }: PendingRequest, intent: Intent): boolean {
  const { authorization } = intent
  if (!signed || isRelayed(intent)) return false
  const isNewest = authorization?.from.toLowerCase() === signed.from.toLowerCase()
  if (isNewest && /^(refused|expired)$/.test(authorization?.status ?? '')) return true
  return Date.parse(intent.server_time) >= signed.validBefore * 1000
}

function copy(state: CheckoutState, field: CopyField): Step {
  const { intent } = state
  const due = intent && manualDue(intent)
  const text = {
    amount: intent && due !== null && toDecimal(due, intent.decimals),
    address: intent?.expected_wallet,
    hash: paymentHash(state),
  }[field]
  return text ? toStep(state, { type: 'copy', field, text }) : toStep(state)
}
