import type { RequestOf } from '@payment-intents/contract'
import { expect, test } from 'vitest'
import type { Intent } from '../payment-intents/intent.ts'
import type { PaymentIntentFilter } from '../payment-intents/store.ts'
import type { Service, ServiceRequest } from '../service.ts'
import { exportCsv } from './exportCsv.ts'

const period = { created_after: '2026-01-01T00:00:00Z', created_before: '2026-02-01T00:00:00Z' }

const intent = {
  ...{ status: 'requires_payment', mode: 'testnet', chain: 'base', chainId: 84532 },
  ...{ confirmationsRequired: 5, amount: 25_000_000n, payable: 25_000_100n, version: 1 },
  ...{ token: `0x${'11'.repeat(20)}`, wallet: `0x${'22'.repeat(20)}`, reference: '0x1' },
  ...{ createdAt: 1_767_225_600_000, expiresAt: 1_767_227_400, lane: 'sdk', paymentLink: null },
  ...{
    openedAt: null,
    succeededAt: null,
    refunded: 0n,
    refunding: 0n,
    confirmations: 0,
    txHash: null,
  },
  ...{ exceptions: ['late', 'reorged'], transfers: [], referenceOnly: false },
} as unknown as Intent

/** Its list of payment intents never ends. */
function endless(metadata: string) {
  const filters: PaymentIntentFilter[] = []
  const list = async (_actor: unknown, filter: PaymentIntentFilter) => {
    const page = filters.push(filter)
    const ids = Array.from({ length: filter.limit }, (_, index) => `pi_${page}_${index}`)
    return { items: ids.map((id) => ({ ...intent, id, metadata })), hasMore: true }
  }
  return { service: { store: { paymentIntents: { list } } } as unknown as Service, filters }
}

function begin(service: Service, query: Partial<RequestOf<'exportCsv'>['query']> = period) {
  const request = { query: { what: 'payment_intents', ...query } }
  return exportCsv(service, request as unknown as ServiceRequest<'exportCsv'>)
}

test('reads a period, each page only when the reader wants it', async () => {
  const { service, filters } = endless(`{"note":"${'x'.repeat(1_000)}"}`)
  const { pieces } = await begin(service)
  expect(filters).toHaveLength(1)
  for (let pages = 1; pages <= 50; pages += 1) {
    const { value } = await pieces.next()
    expect(value.length).toBeLessThan(70_000)
    // A page has more than one piece.
    expect(filters.length).toBeLessThanOrEqual(1 + pages)
  }
  expect(filters[0]).toMatchObject({
    ...{ createdAfter: Date.parse(period.created_after), startingAfter: null },
    ...{ createdBefore: Date.parse(period.created_before), metadata: [] },
  })
  expect(filters[1]).toMatchObject({ ...filters[0], startingAfter: 'pi_1_99' })
})

test('text of a payer or a merchant is no formula and no other field', async () => {
  const { service } = endless(JSON.stringify({ '=1': '",\r\n=2' }))
  const { pieces } = await begin(service)
  const { value: text } = await pieces.next()
  const [heading, first] = String(text).split(/(?<=[^n])\r\n(?!=)/)
  expect(heading).toMatch(/^id,created_at,status,exceptions,.*,amount_units,amount,.*,metadata$/)
  expect(first).toMatch(/^pi_1_0,2026-01-01T00:00:00.000Z,requires_payment,late reorged,/)
  expect(first).toContain(',25000000,25.00,25000100,25.0001,0,0.00,')
  expect(first).toContain(`"{""=1"":""\\"",\\r\\n=2""}"`)
})

test('a failure is an error response until the first page has been read', async () => {
  const { service } = endless('{}')
  const failing = { ...service, store: { paymentIntents: { list: () => Promise.reject('away') } } }
  await expect(begin(failing as unknown as Service)).rejects.toBe('away')
})

test.each([
  [{}, 'payment_intents.csv'],
  [period, 'payment_intents_from_2026-01-01_before_2026-02-01.csv'],
  [{ created_after: '2026-01-31T00:00:00+01:00' }, 'payment_intents_from_2026-01-30T230000Z.csv'],
])('the file of %j is %s', async (query, name) => {
  const { headers } = await begin(endless('{}').service, query)
  expect(headers['content-disposition']).toBe(`attachment; filename="${name}"`)
})
