import { expect, test } from 'vitest'
import { logEvents } from './logEvents.ts'

type Event = Parameters<typeof logEvents>[2][number]

const event = (type: string, received = 0) =>
  ({
    ...{ type, intentId: 'pi_1', transferId: null },
    ...{ merchantId: 'mer_1', mode: 'testnet' },
    object: JSON.stringify({
      ...{ tx_hash: '0x01', amount_units: 5, amount_received_units: received },
      metadata: { email: 'buyer@example.com' },
    }),
  }) as Event

function logged(events: readonly Event[]) {
  const lines: string[] = []
  const at = (level: string) => (fields: object, message: string) => {
    const { event = '' } = fields as { event?: string }
    lines.push(`${level} ${message} ${event}`.trim())
  }
  logEvents({ debug: at('debug'), info: at('info') }, 84532, events)
  return lines
}

test('the level is info if money moved, and debug for a creation or an unpaid expiry', () => {
  expect(
    logged([
      event('payment_intent.succeeded'),
      event('payment_intent.expired', 1),
      event('payment_intent.expired'),
    ]),
  ).toEqual([
    'info recorded payment_intent.succeeded',
    'info recorded payment_intent.expired',
    'debug recorded payment_intent.expired',
  ])
})

test('a line names the merchant, the transaction and the amount', () => {
  const lines: object[] = []
  const info = (fields: object) => lines.push(fields)
  const events = [
    event('payment_intent.succeeded', 5),
    { ...event('transfer.unmatched'), intentId: null, transferId: 'tr_1' } as Event,
  ]
  logEvents({ debug: info, info }, 84532, events)
  const common = { chain_id: 84532, merchant: 'mer_1', mode: 'testnet', tx_hash: '0x01' }
  expect(lines).toEqual([
    {
      ...{ ...common, event: 'payment_intent.succeeded', payment_intent: 'pi_1' },
      ...{ amount_units: 5, amount_received_units: 5 },
    },
    { ...common, event: 'transfer.unmatched', transfer: 'tr_1', amount_units: 5 },
  ])
})

test('of very many events at once, the first have lines and the others are counted', () => {
  const lines = logged(Array.from({ length: 150 }, () => event('payment_intent.succeeded')))
  expect(lines).toHaveLength(101)
  expect(lines.at(-1)).toBe('info more events were recorded')
})
