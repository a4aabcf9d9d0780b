import { eventTypeSchema } from '@payment-intents/contract'
import { expect, test } from 'vitest'
import { event } from '../../../test/testWebhook.ts'
import { isPaymentIntentEvent } from './isPaymentIntentEvent.ts'

const isIntentEvent = (type: string) => isPaymentIntentEvent({ ...event, type } as typeof event)

test('is true of every event whose object is a payment intent, and of no other', () => {
  expect(eventTypeSchema.options.filter((type) => !isIntentEvent(type))).toEqual([
    'transfer.unmatched',
    'refund.created',
    'refund.updated',
    'refund.pending',
    'refund.succeeded',
    'refund.canceled',
    'refund.reversed',
    'webhook_endpoint.disabled',
    'webhook_endpoint.test',
    'alert.raised',
  ])
})

test('is true of a type that a later server adds', () => {
  expect(isIntentEvent('payment_intent.refunded')).toBe(true)
  expect(isIntentEvent('payment_intents.paused')).toBe(false)
})
