import type { Event } from '@payment-intents/contract'
import { describe, expect, test } from 'vitest'
import { event as succeeded } from '../../../node/test/testWebhook.ts'
import type { News } from '../listen/news.ts'
import { asJson } from '../output/asJson.ts'
import { asText } from '../output/asText.ts'

const look = { colors: false, keys: false }

function line(event: object): string {
  // The time is local: compare only its format.
  return asText({ kind: 'event', event: event as Event }, look).replace(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/,
    'TIME',
  )
}

function withObject(object: object) {
  return { ...succeeded, data: { object: { ...succeeded.data.object, ...object } } }
}

describe('an event', () => {
  const { id } = succeeded

  test('is a line with time, type, object, amount and order', () => {
    expect(line(withObject({ amount_received_units: 25_000_000 }))).toBe(
      `TIME  payment_intent.succeeded  pi_01  25.00 USDC  order Bestellung № 7 🧾  ${id}`,
    )
  })

  test.each([
    [{ amount_received_units: 0 }, '25.00 USDC'],
    [{ amount_received_units: 20_000_000 }, '20.00 of 25.00 USDC'],
    [{ amount_received_units: 0, amount_units: 1 }, '0.000001 USDC'],
    [{ amount_received_units: 0, amount_units: 1_234_500 }, '1.2345 USDC'],
    [{ amount_received_units: 0, amount_units: 2 ** 53 - 1 }, '9007199254.740991 USDC'],
  ])('%j is %s', (object, amount) => {
    expect(line(withObject(object))).toContain(`  ${amount}  `)
  })

  test.each([
    [0, '25000000.00 USDC'],
    [6, '25.00 USDC'],
    [36, `0.${'0'.repeat(28)}25 USDC`],
    [37, '25.00 USDC'],
    [-1, '25.00 USDC'],
    [1.5, '25.00 USDC'],
    [2 ** 53, '25.00 USDC'],
    ['6', '25.00 USDC'],
  ])(
    'of a token with %j decimals is written in them, as far as there are such',
    (decimals, amount) => {
      expect(line(withObject({ amount_received_units: 0, decimals }))).toContain(`  ${amount}  `)
    },
  )

  test.each([
    [
      'transfer.unmatched',
      { id: 'tr_01', amount_units: 24_990_000, reason: 'no_intent' },
      'tr_01  24.99 USDC  no_intent',
    ],
    ['webhook_endpoint.disabled', { id: 'we_01', disabled_reason: 'gone' }, 'we_01  gone'],
    ['payment_intent.dreamt', { dream: null }, ''],
  ])('%s', (type, object, facts) => {
    const shown = line({ ...succeeded, type, data: { object } })
    expect(shown).toBe(['TIME', type, ...(facts ? [facts] : []), id].join('  '))
  })

  test('cannot control the terminal', () => {
    const evil = 'a\x1b[2J\r\n\u009b1m\u202eb\u2028'
    const shown = line({ ...withObject({ metadata: { order_id: evil } }), type: evil, id: evil })
    expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u)
    const json = asJson({ kind: 'event', event: withObject({ metadata: { evil } }) as Event })
    expect(json).not.toMatch(/\p{Cc}/u)
    expect(JSON.parse(json).event.data.object.metadata.evil).toBe(evil)
  })
})

describe('a delivery', () => {
  type Delivery = Extract<News, { kind: 'delivery' }>
  const delivery: Delivery = {
    kind: 'delivery',
    event: succeeded,
    attempt: 1,
    status: 200,
    ms: 12,
    problem: undefined,
    retryMs: undefined,
  }

  test.each<[Partial<Delivery>, string]>([
    [{}, '→ 200 in 12 ms'],
    [
      { status: 500, problem: 'it broke.', retryMs: 5_000 },
      '→ 500 in 12 ms: it broke; again in 5 s',
    ],
    [{ status: undefined, problem: 'gone', retryMs: 1_000 }, '→ gone; again in 1 s'],
    [{ status: 410, problem: 'gone' }, '→ 410 in 12 ms: gone; not tried again'],
    [
      { status: 500, problem: 'it broke', attempt: 4 },
      '→ 500 in 12 ms: it broke; given up after 4 tries',
    ],
  ])('%j', (more, text) => {
    expect(asText({ ...delivery, ...more }, look)).toBe(`${' '.repeat(21)}${text}  ${succeeded.id}`)
  })

  test('has colours only if they are enabled', () => {
    expect(asText(delivery, { ...look, colors: true })).toContain('\x1b[32m→ 200 in 12 ms\x1b[0m')
  })

  test('is a line of JSON', () => {
    expect(JSON.parse(asJson(delivery))).toEqual({
      ...{ kind: 'delivery', event: succeeded.id, attempt: 1, status: 200, ms: 12 },
      ...{ problem: null, retry_ms: null },
    })
  })
})

describe('the target of events', () => {
  type Ready = Extract<News, { kind: 'ready' }>
  const shown = (environment: NonNullable<Ready['forwarding']>['environment']) =>
    asText(
      {
        ...{ kind: 'ready', baseUrl: 'http://localhost:4242' },
        forwarding: { to: 'http://localhost:3000/webhooks', secret: 'whsec_1', environment },
      },
      look,
    )

  test('comes with the secret to set', () => {
    expect(shown('unset')).toMatch(/\n\n {2}whsec_1\n\n.*Set PAYMENT_INTENTS_WEBHOOK_SECRET to it/s)
    expect(shown('unset')).not.toContain('another secret')
  })

  test('does not show the secret that is set already', () => {
    expect(shown('same')).toContain('that PAYMENT_INTENTS_WEBHOOK_SECRET is set to.')
    expect(shown('same')).not.toContain('whsec_1')
  })

  test('says that another secret is set, and what to do', () => {
    const sentence = /is set to another secret here.*: start the handler with .*--print-secret\)\./
    expect(shown('other')).toMatch(sentence)
    expect(shown('other')).toContain('whsec_1')
  })
})
