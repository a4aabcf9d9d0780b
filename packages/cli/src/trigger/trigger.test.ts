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
import { apiKey, serve, text } from '../../../node/test/stubServer.ts'
import { received, secret } from '../../test/cliSupport.ts'
import type { News } from '../listen/news.ts'
import type { FieldChange } from './changeField.ts'
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
    const event = fixture(type)
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
    expect(fixture(type).data.object).toMatchObject(object)
  })

  test.each<[FieldChange['flag'], string, string, object]>([
    ['--override', 'id', 'pi_1', { id: 'pi_1' }],
    ['--override', 'amount_units', '5000000', { amount_units: 5_000_000 }],
    ['--override', 'exceptions', '["late"]', { exceptions: ['late'] }],
    ['--override', 'metadata', '{"order_id":1042}', { metadata: { order_id: 1042 } }],
    ['--override', 'payment_link', 'plink_1', { payment_link: 'plink_1' }],
    ['--override', 'payment_link', 'null', { payment_link: null }],
    ['--add', 'metadata.order_id', '1042', { metadata: { order_id: '1042' } }],
    ['--add', 'metadata.a=b', '', { metadata: { 'a=b': '' } }],
  ])('%s %s=%s', (flag, path, value, expected) => {
    const { object } = fixture('payment_intent.succeeded', [{ flag, path, value }]).data
    expect(object).toMatchObject(expected)
  })

  test('takes a field of any name, and changes no prototype', () => {
    const change = { flag: '--add', path: 'metadata.__proto__', value: 'x' } as const
    const { metadata } = fixture('payment_intent.succeeded', [change]).data.object as never
    expect(Object.keys(metadata)).toEqual(['__proto__'])
    const inherited = { flag: '--override', path: '__proto__.polluted', value: '1' } as const
    expect(() => fixture('payment_intent.succeeded', [inherited])).toThrow('does not have')
    expect({}).not.toHaveProperty('polluted')
  })

  test.each<[FieldChange['flag'], string, string, RegExp]>([
    [
      '--override',
      'amount_unit',
      '1',
      /^--override names amount_unit, a field .* Did you mean amount_units\?/,
    ],
    ['--override', 'metadata.order_id', '1', /^--override names a field that the event does not/],
    ['--override', 'amount_units', 'five', /^--override needs JSON for this field/],
    ['--override', 'amount_units', '"5"', /^--override needs a value of the field's type: number/],
    ['--override', 'exceptions', '{}', /type: array\.$/],
    ['--add', 'status', 'succeeded', /^--add names status, a field that the event has already/],
    ['--add', 'metadat.order_id', '1', /^--add names metadat, a field .* Did you mean metadata\?/],
    ['--add', 'status.order_id', '1', /^A dot leads into an object/],
  ])('%s %s=%s is refused', (flag, path, value, message) => {
    expect(() => fixture('payment_intent.succeeded', [{ flag, path, value }])).toThrow(message)
  })
})

async function post(reply: ReturnType<typeof text>) {
  const receiver = await serve(reply)
  const news: News[] = []
  const isAccepted = await trigger({
    ...{ event: fixture('payment_intent.succeeded'), secret, apiKey },
    forwardTo: new URL(`${receiver.url}/webhooks`),
    show: (item) => news.push(item),
    signal: new AbortController().signal,
  })
  return { receiver, news, isTaken: isAccepted }
}

test('it is posted once, signed', async () => {
  const { receiver, news, isTaken: isAccepted } = await post(received)
  const [request] = receiver.requests
  expect(request?.target).toBe('POST /webhooks')
  const event = await verifyWebhook(request?.body ?? '', request?.headers ?? {}, secret)
  expect(event.type).toBe('payment_intent.succeeded')
  expect(isAccepted).toBe(true)
  expect(news).toMatchObject([{ kind: 'event' }, { kind: 'delivery', status: 200 }])
})

test('a refusal is shown and not retried', async () => {
  const { receiver, news, isTaken: isAccepted } = await post(text(500, 'TypeError: x'))
  expect(isAccepted).toBe(false)
  expect(news.at(-1)).toMatchObject({ problem: 'TypeError: x', retryMs: undefined })
  expect(receiver.requests).toHaveLength(1)
})
