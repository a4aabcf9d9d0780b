import type { Event, EventOf, EventType, Metadata } from '@payment-intents/contract'

/** An event about a payment intent, which is its `data.object`. */
export type PaymentIntentEvent<M = Metadata> = EventOf<EventType & `payment_intent.${string}`, M>

/**
 * Whether an event is any `payment_intent.*`, so that its `data.object` is the payment intent; also of a type that a
 * later server adds.
 *
 * @example
 * ```ts
 * import { type Event, isPaymentIntentEvent } from '@payment-intents/node'
 *
 * export function onEvent(event: Event): void {
 *   if (!isPaymentIntentEvent(event)) return
 *   const { id, status, metadata } = event.data.object
 *   console.log(id, 'is', status, 'for order', metadata.order_id)
 * }
 * ```
 */
export function isPaymentIntentEvent<M>(event: Event<M>): event is PaymentIntentEvent<M> {
  return event.type.startsWith('payment_intent.')
}
