import { endpoints } from '@payment-intents/contract'
import type { Events } from '../resources/events.ts'
import type { PaymentIntents } from '../resources/paymentIntents.ts'
import type { Transfers } from '../resources/transfers.ts'
import { method } from './method.ts'
import type { Send } from './send.ts'

export function parametersFollowTheTable(send: Send): unknown[] {
  const assign = method(send, endpoints.assignTransfer)
  const list = method(send, endpoints.listTransfers)
  const cancel = method(send, endpoints.cancelPaymentIntent)
  const rotate = method(send, endpoints.rotateWebhookSecret)
  return [
    assign('tr_1', { payment_intent: 'pi_1' }, { idempotencyKey: 'a' }),
    // @ts-expect-error the body of another endpoint
    assign('tr_1', { url: 'https://shop.example.com' }),
    // @ts-expect-error it has to have a body
    assign('tr_1'),
    list({ matched: false }),
    // @ts-expect-error no parameter of this list
    list({ status: 'succeeded' }),
    // @ts-expect-error this call has no idempotency key
    list({}, { idempotencyKey: 'a' }),
    cancel('pi_1', { idempotencyKey: 'a' }),
    // @ts-expect-error it has no parameters
    cancel('pi_1', {}, {}),
    rotate('we_1'),
    rotate('we_1', { overlap_hours: 1 }, { timeout: 1 }),
  ]
}

export function resourcesFollowTheTable(send: Send): unknown[] {
  return [
    // @ts-expect-error a response without links
    method(send, endpoints.cancelPaymentIntent) satisfies PaymentIntents['retrieve'],
    // @ts-expect-error another list
    method(send, endpoints.listPaymentIntents) satisfies Transfers['list'],
    // @ts-expect-error no list
    method(send, endpoints.retrieveEvent) satisfies Events['list'],
  ]
}
