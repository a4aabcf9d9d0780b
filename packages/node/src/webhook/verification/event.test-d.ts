import type {
  Alert,
  Event,
  EventOf,
  EventType,
  RetrievedPaymentIntent,
  Transfer,
  WebhookEndpoint,
} from '@payment-intents/contract'
import { isPaymentIntentEvent } from './isPaymentIntentEvent.ts'

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
type Narrowed<Type extends EventType> = Extract<Event, { type: Type }>

export function narrows(event: Event): string {
  switch (event.type) {
    case 'payment_intent.succeeded':
    case 'payment_intent.overpaid': {
      const intent: RetrievedPaymentIntent = event.data.object
      return intent.chain
    }
    case 'transfer.unmatched': {
      const transfer: Transfer = event.data.object
      // @ts-expect-error a transfer has no `expected_wallet` of that type
      const wallet: string = event.data.object.expected_wallet
      return transfer.from + wallet
    }
    case 'webhook_endpoint.disabled': {
      const endpoint: WebhookEndpoint = event.data.object
      return endpoint.url
    }
    case 'alert.raised': {
      const alert: Alert = event.data.object
      return alert.cause
    }
    default: {
      const type: string = event.type
      return type
    }
  }
}

export function hands(event: Event): string | undefined {
  return event.type === 'payment_intent.succeeded' ? ship(event) : undefined
}

function ship(event: EventOf<'payment_intent.succeeded'>): string {
  return event.data.object.id
}

/** Unknown types remain after all known types have a case. */
export function leavesUnknown(event: Event): string {
  if (event.type === 'transfer.unmatched') return event.data.object.from
  switch (event.type) {
    case 'payment_intent.created':
    case 'payment_intent.pending_confirmations':
    case 'payment_intent.succeeded':
    case 'payment_intent.expired':
    case 'payment_intent.canceled':
    case 'payment_intent.underpaid':
    case 'payment_intent.overpaid':
    case 'payment_intent.paid_late':
    case 'payment_intent.reorged':
    case 'payment_intent.reversed':
      return event.data.object.status
    default:
      // @ts-expect-error a newer server may send another
      event satisfies never
      return event.type
  }
}

/** A `switch` without a case for each type. */
export function narrowsAny(event: Event): string {
  if (isPaymentIntentEvent(event)) {
    const intent: RetrievedPaymentIntent = event.data.object
    return intent.expected_wallet
  }
  // @ts-expect-error it may be a transfer
  return event.data.object.expected_wallet
}

export function misspells(event: Event): boolean {
  // @ts-expect-error no such type
  return event.type === 'payment_intent.suceeded'
}

export function allowsLaterType(event: Event): boolean {
  return (event.type as string) === 'payment_intent.refunded'
}

export const coversIntentEvents: Same<
  Narrowed<EventType & `payment_intent.${string}`>['data']['object'],
  RetrievedPaymentIntent
> = true

type WithoutSubject = {
  [Type in EventType]: [EventOf<Type>['data']['object']] extends [never] ? Type : never
}[EventType]

/** A type added to the contract without an object would have `never`. */
export const everyTypeHasASubject: Same<WithoutSubject, never> = true

export function readsDeclaredFields(event: Event): unknown {
  if (isPaymentIntentEvent(event)) {
    // @ts-expect-error no such field of a payment intent
    return event.data.object.statsu
  }
  // @ts-expect-error no such field of an event
  return event.sequense
}

export function typesMetadata(event: Event<{ order_id: string }>): string {
  return isPaymentIntentEvent(event) ? event.data.object.metadata.order_id : event.id
}
