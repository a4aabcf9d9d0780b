import {
  alertSchema,
  type EventType,
  eventSchema,
  eventTypeSchema,
  listedRefundSchema,
  retrievedPaymentIntentSchema,
  transferSchema,
  webhookEndpointSchema,
} from '@payment-intents/contract'
import { verifyWebhook } from '@payment-intents/node'
import { describe, expect, test } from 'vitest'
import { apiKey, serve, text } from '../../../node/test/testServer.ts'
import { received, secret } from '../../test/cliSupport.ts'
import type { News } from '../listen/news.ts'
import { fixture } from './fixture.ts'
import { trigger } from './trigger.ts'

describe('the made-up event', () => {
  const subjects = {
    payment_intent: retrievedPaymentIntentSchema,
    transfer: transferSchema,
    refund: listedRefundSchema,
    webhook_endpoint: webhookEndpointSchema,
    alert: alertSchema,
  }

  test.each(eventTypeSchema.options)('%s is as the API describes it', (type) => {
    const event = fixture(type, {})
    const [subject] = type.split('.') as [keyof typeof subjects]
    expect(eventSchema.safeParse(event).error).toBeUndefined()
    expect(subjects[subject].safeParse(event.data.object).error).toBeUndefined()
    expect(event).toMatchObject({ type, mode: 'testnet' })
  })

  test.each<[EventType, object]>([
    ['payment_intent.succeeded', { status: 'succeeded', confirmations: 5, exceptions: [] }],
    ['payment_intent.underpaid', { status: 'requires_payment', exceptions: ['underpaid'] }],
    ['payment_intent.paid_late', { status: 'expired', exceptions: ['late'] }],
    ['payment_intent.reorged', { tx_hash: null, amount_received_units: 0 }],
    ['transfer.unmatched', { payment_intent: null, reason: 'no_intent' }],
    ['webhook_endpoint.disabled', { status: 'disabled', disabled_reason: 'failing' }],
    ['alert.raised', { cause: 'transfer_unmatched', count: 2 }],
  ])('%s has %o', (type, object) => {
    expect(fixture(type, {}).data.object).toMatchObject(object)
  })

  test('takes the fields that are given', () => {
    const given = { id: 'pi_1', metadata: { order_id: '1042' } }
    expect(fixture('payment_intent.succeeded', given).data.object).toMatchObject(given)
  })
})

async function post(reply: ReturnType<typeof text>) {
  const receiver = await serve(reply)
  const news: News[] = []
  const isTaken = await trigger({
    ...{ type: 'payment_intent.succeeded', object: {}, secret, apiKey },
    forwardTo: new URL(`${receiver.url}/webhooks`),
    show: (one) => news.push(one),
    signal: new AbortController().signal,
  })
  return { receiver, news, isTaken }
}

test('it is posted once, signed', async () => {
  const { receiver, news, isTaken } = await post(received)
  const [request] = receiver.requests
  expect(request?.target).toBe('POST /webhooks')
  const event = await verifyWebhook(request?.body ?? '', request?.headers ?? {}, secret)
  expect(event.type).toBe('payment_intent.succeeded')
  expect(isTaken).toBe(true)
  expect(news).toMatchObject([{ kind: 'event' }, { kind: 'delivery', status: 200 }])
})

test('a refusal is shown and not tried again', async () => {
  const { receiver, news, isTaken } = await post(text(500, 'TypeError: x'))
  expect(isTaken).toBe(false)
  expect(news.at(-1)).toMatchObject({ problem: 'TypeError: x', retryMs: undefined })
  expect(receiver.requests).toHaveLength(1)
})
