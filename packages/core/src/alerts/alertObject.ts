import type { AlertCause, EventType } from '@payment-intents/contract'
import { dustUnits } from '../transfers/dust.ts'

/** An object that an alert is to name: from `dueAt` on, if its cause is still there then. Times are Unix milliseconds. */
export type AlertObject = {
  readonly cause: AlertCause
  readonly objectId: string
  readonly since: number
  readonly dueAt: number
}

const hour = 60 * 60 * 1_000

/** Milliseconds. */
export const alertWindows = {
  /** The time from one alert of a cause to the next. */
  quiet: 24 * hour,
  /** How long a refund waits before an alert says so. */
  refundWaiting: 24 * hour,
  /** How long nothing gets through to an endpoint before an alert says so. */
  endpointFailing: hour,
} as const

type WrittenEvent = {
  readonly type: EventType
  /** JSON text of `data.object`. */
  readonly object: string
}

/**
 * The object that an alert names because of an event; null: none. A failing endpoint has no event of its own.
 *
 * A refund's wait restarts whenever its reason changes. Dust raises no alert: otherwise anybody could raise an alert each day.
 *
 * @param now when the event is written, Unix milliseconds
 */
export function alertObjectOf({ type, object }: WrittenEvent, now: number): AlertObject | null {
  if (!mayCause(type, object)) return null
  const { id, status, exceptions, amount_units } = JSON.parse(object)
  const at = (cause: AlertCause, dueAt = now) => ({ cause, objectId: id, since: now, dueAt })
  switch (type) {
    case 'transfer.unmatched':
      return BigInt(amount_units) < dustUnits ? null : at('transfer_unmatched')
    case 'payment_intent.reversed':
      return at('payment_intent_reversed')
    case 'payment_intent.expired':
    case 'payment_intent.underpaid': {
      const isUnderpaid = status === 'expired' && exceptions.includes('underpaid')
      return isUnderpaid ? at('payment_intent_underpaid') : null
    }
    default: {
      const isWaiting = status.startsWith('requires_')
      return isWaiting ? at('refund_waiting', now + alertWindows.refundWaiting) : null
    }
  }
}

/** Most events of a busy server are intents that come and go: their text is not parsed. */
function mayCause(type: EventType, object: string): boolean {
  switch (type) {
    case 'transfer.unmatched':
    case 'payment_intent.reversed':
    case 'refund.created':
    case 'refund.updated':
      return true
    case 'payment_intent.expired':
    case 'payment_intent.underpaid':
      return object.includes('"underpaid"')
    default:
      return false
  }
}
