import {
  alertSchema,
  eventSchema,
  eventTypeSchema,
  listedRefundSchema,
  retrievedPaymentIntentSchema,
  transferSchema,
  webhookEndpointSchema,
} from '@payment-intents/contract'
import { verifyWebhook } from '@payment-intents/node'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { signWebhook } from './signWebhook.ts'
import { webhookEvent } from './webhookEvent.ts'
import { webhookRequest } from './webhookRequest.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const next = `whsec_${Buffer.alloc(24, 8).toString('base64')}`

describe.each(eventTypeSchema.options)('%s', (type) => {
  test('is an event that both verify', async () => {
    const event = webhookEvent(type)
    const { headers, body } = webhookRequest(event, secret)
    expect(new Webhook(secret).verify(body, headers)).toEqual(event)
    expect(await verifyWebhook(body, headers, secret)).toEqual(event)
  })

  test('happened recently, and not in the future', () => {
    const requestedAt = Date.now()
    const event = webhookEvent(type)
    expect(Date.parse(event.created_at)).toBeLessThanOrEqual(Date.now())
    expect(Date.parse(event.created_at)).toBeGreaterThanOrEqual(requestedAt - 1_000)
    const { object } = event.data
    const began = 'since' in object ? object.since : object.created_at
    expect(Date.parse(began)).toBeLessThanOrEqual(Date.now())
  })

  test('has every field of an event of its type', () => {
    const event = eventSchema.parse(webhookEvent(type))
    expect(event.type).toBe(type)
    const [subject] = type.split('.')
    const schemas = {
      ...{ transfer: transferSchema, refund: listedRefundSchema },
      ...{ webhook_endpoint: webhookEndpointSchema, alert: alertSchema },
    }
    const schema = schemas[subject as keyof typeof schemas] ?? retrievedPaymentIntentSchema
    expect(schema.safeParse(event.data.object).error).toBeUndefined()
  })
})

const paid = eventTypeSchema.options.filter((type) => !/^(webhook_endpoint|alert)\./.test(type))

test.each(paid)('%s has the requested amount', (type) => {
  const { data } = webhookEvent(type, { object: { amount_units: 7_000_000 } })
  expect(data.object).toMatchObject({ amount_units: 7_000_000 })
  if (type.startsWith('payment_intent.')) {
    const { payable_amount_units: payable } = data.object as { payable_amount_units: number }
    expect(payable).toBeGreaterThan(7_000_000)
    expect(payable).toBeLessThan(7_010_000)
  }
})

describe('webhookEvent', () => {
  test('contains the passed fields and the fields that follow from them', () => {
    const metadata = { order_id: '1042' }
    const event = webhookEvent('payment_intent.succeeded', {
      id: 'evt_1',
      mode: 'mainnet',
      sequence: 9,
      created_at: '2030-01-01T00:00:00.000Z',
      object: { chain: 'polygon', amount_units: 3, metadata, exceptions: ['late'] },
    })
    expect(event).toMatchObject({
      id: 'evt_1',
      mode: 'mainnet',
      sequence: 9,
      created_at: '2030-01-01T00:00:00.000Z',
    })
    expect(event.data.object).toMatchObject({
      status: 'succeeded',
      chain_id: 137,
      confirmations: 20,
      amount_received_units: 3,
      exceptions: ['late'],
      metadata,
    })
  })

  test('has a different object by type', () => {
    const objectOf = (type: Parameters<typeof webhookEvent>[0]) => webhookEvent(type).data.object
    expect(objectOf('payment_intent.created')).toMatchObject({ version: 1, tx_hash: null })
    expect(objectOf('payment_intent.overpaid')).toMatchObject({ exceptions: ['overpaid'] })
    expect(objectOf('payment_intent.paid_late')).toMatchObject({ status: 'expired' })
    expect(objectOf('payment_intent.reversed')).toMatchObject({
      status: 'succeeded',
      exceptions: ['reorged'],
    })
  })
})

describe('signWebhook', () => {
  test('signs like the test vector of Standard Webhooks', () => {
    const vector = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const options = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: new Date(1_614_265_330_000) }
    expect(signWebhook('{"test": 2432232314}', vector, options)).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  test('a signature by two secrets verifies with each, and with no third', async () => {
    const { body, headers } = webhookRequest(webhookEvent('payment_intent.created'), [secret, next])
    for (const signingSecret of [secret, next]) new Webhook(signingSecret).verify(body, headers)
    const third = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
    expect(() => new Webhook(third).verify(body, headers)).toThrow()
    await expect(verifyWebhook(body, headers, third)).rejects.toThrow()
  })

  test('an old timestamp and a changed body are refused', async () => {
    const timestamp = new Date(Date.now() - 3_600_000)
    const event = webhookEvent('payment_intent.created')
    const old = webhookRequest(event, secret, { timestamp })
    await expect(verifyWebhook(old.body, old.headers, secret)).rejects.toThrow()
    const unsigned = webhookRequest(event, secret)
    await expect(verifyWebhook(`${unsigned.body} `, unsigned.headers, secret)).rejects.toThrow()
  })

  test.each(['', 'whsec_', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_a b', 'whsec_c2hvcnQ='])(
    'refuses %j without repeating it',
    (input) => {
      expect(() => signWebhook('{}', input)).toThrow(
        'A webhook secret is whsec_ followed by 24 to 64 bytes in base64.',
      )
    },
  )
})
