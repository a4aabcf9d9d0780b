import type { AlertCause, EventType } from '@payment-intents/contract'
import { dustUnits } from '../transfers/dust.ts'

/** An object that an alert may name: from `dueAt` on, if its cause still exists then. Times are Unix milliseconds. */
export type AlertObject = {
  readonly cause: AlertCause
  readonly objectId: string
  readonly since: number
  readonly dueAt: number
}

const hour = 60 * 60 * 1_000

/** Milliseconds. */
export const alertWindows = {
  /** The minimum time between two alerts of one cause. */
  quiet: 24 * hour,
  /** How long a refund waits before it raises an alert. */
  refundWaiting: 24 * hour,
  /** How long every delivery to an endpoint fails before it raises an alert. */
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

/** Most events of a busy server are of intents that complete normally: do not parse their text. */
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
