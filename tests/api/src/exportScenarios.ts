import { payer } from './accounts.ts'
import type { Observed } from './record.ts'

const path = '/v1/export?what='
const kinds = ['payment_intents', 'transfers', 'refunds']

export const exportScenarios: Record<string, (service: Observed) => Promise<void>> = {
  async 'periods exported'({ advance, call, create, pay, transfer }) {
    for (const what of kinds) await call('GET', path + what)
    const metadata = { order_id: '=1042', '@note': 'a "b"\r\n;-c', nested: [{ ü: null }] }
    const first = await create({ metadata })
    await pay(first)
    await transfer(1_000_001)
    await advance(1)
    const second = await create({ amount_units: 9_000_000 })
    await call('POST', '/v1/refunds', {
      body: {
        ...{ payment_intent: first.id, amount_units: 20_001, destination: payer.address },
        ...{ reason: 'requested_by_customer', metadata: { rma: '+7' } },
      },
    })
    for (const what of kinds) await call('GET', path + what)
    const times = [first.created_at, second.created_at]
    for (const time of times) {
      const from = await call('GET', `${path}payment_intents&created_after=${time}`)
      const before = await call('GET', `${path}payment_intents&created_before=${time}`)
      // The heading, and what follows the last line break.
      if (from.length + before.length !== 2 + 4) throw new Error('Each intent is in one of them.')
    }
    await call(
      'GET',
      `${path}refunds&created_after=2020-01-31T00:00:00%2B01:00&created_before=2020-02-01T00:00:00Z`,
    )
  },

  async 'exports refused'({ call }) {
    const queries = [
      ...['', '?what=', '?what=payments', '?what=events', '?what=refunds&what=refunds'],
      ...['limit=1', 'starting_after=pi_1', 'status=succeeded', 'created_after=2026-01-01'],
    ]
    for (const query of queries) {
      await call(
        'GET',
        query.includes('=') && !query.startsWith('?')
          ? `${path}refunds&${query}`
          : `/v1/export${query}`,
      )
    }
    await call('HEAD', `${path}refunds`)
    await call('POST', `${path}refunds`)
    await call('GET', `${path}refunds`, { headers: {} })
  },
}
