import { intents } from './accounts.ts'
import type { Observed } from './record.ts'
import { returnOrigin } from './sides.ts'

const links = '/v1/payment_links'
const most = Number.MAX_SAFE_INTEGER
const term = { amount_units: 40_000_000, description: 'Term 2' }
const open = { ...term, amount_units: null }

const creationsRefused: unknown[] = [
  ...[{}, { description: 'No amount' }, { amount_units: 1 }, { ...term, amount_units: 0 }],
  ...[
    { ...term, amount_units: 1.5 },
    { ...term, amount_units: most + 1 },
  ],
  ...[
    { ...term, amount_units: '1' },
    { ...term, extra: 1 },
    { ...term, active: false },
  ],
  ...[
    { ...term, min_units: 1 },
    { ...term, max_units: 1 },
    { ...open, min_units: 0 },
  ],
  { ...open, min_units: 3, max_units: 2 },
  ...[
    { ...term, description: '' },
    { ...term, description: 'x'.repeat(501) },
  ],
  ...[
    { ...term, description: 'a\u0000b' },
    { ...term, description: '\ud800' },
  ],
  ...[
    { ...term, metadata: [] },
    { ...term, metadata: { long: 'x'.repeat(16 * 1024) } },
  ],
  ...[
    { ...term, chains: [] },
    { ...term, chains: ['solana'] },
    { ...term, chains: 'base' },
  ],
  ...[
    { ...term, chains: ['base', 'base'] },
    { ...term, chains: ['base', 'polygon'] },
  ],
  ...[
    { ...term, max_payments: 0 },
    { ...term, max_payments: 1_000_001 },
  ],
  ...[
    { ...term, expires_at: '2026-01-31' },
    { ...term, expires_at: '2020-01-01T00:00:00Z' },
  ],
  { ...term, expires_at: '9999-12-31T23:59:59-14:00' },
  ...[
    { ...term, return_url: 'https://elsewhere.example/' },
    { ...term, return_url: 'thanks' },
  ],
  ...[
    { ...term, return_url: `http${returnOrigin.slice(5)}/` },
    { ...term, return_url: '' },
  ],
  ...['no JSON', '[]', '{"amount_units":1,"amount_units":2,"description":"Twice"}'],
]

export const linkScenarios: Record<string, (service: Observed) => Promise<void>> = {
  async 'a payment link, made and changed'({ ask, later, advance }) {
    const create = async (body: object) => {
      const link = await ask('POST', links, { body })
      // The test kit's clock stands still, the server's does not.
      await advance(1)
      await later()
      return link
    }
    const first = await create(term)
    const second = await create({
      ...{ ...open, min_units: 1, max_units: most, chains: ['base'], max_payments: 1_000_000 },
      ...{ expires_at: '9999-12-31T23:00:00+01:00', return_url: `${returnOrigin}/thanks?a=1` },
      metadata: { order_id: '1042', nested: [{ ü: null }], __proto: 1, n: 1.5 },
    })
    const nothing = { min_units: null, max_units: null, max_payments: null }
    await create({ ...term, ...nothing, expires_at: null, return_url: null })
    await ask('GET', `${links}/${first.id}`)
    const path = `${links}/${second.id}`
    const change = (body: unknown) => ask('PATCH', path, { body })
    for (const body of [
      ...[{ active: false }, {}, { active: true }, { active: false }],
      { description: 'Term 3', metadata: {}, max_payments: 1, expires_at: null, return_url: null },
      { metadata: { z: 1, a: 2 }, return_url: returnOrigin, max_payments: null },
      ...[{ active: null }, { description: null }, { metadata: null }, { max_payments: 0 }],
      ...[{ expires_at: '2020-01-01T00:00:00Z' }, { return_url: 'https://elsewhere.example/' }],
      ...[{ amount_units: 1 }, { chains: ['base'] }, { payments_count: 1 }],
      // Nothing of it is written.
      { description: 'Not this', active: true, expires_at: '2020-01-01T00:00:00Z' },
    ]) {
      await change(body)
    }
    await ask('GET', path)
    for (const query of [
      ...['', '?active=true', '?active=false', '?limit=1', `?limit=1&starting_after=${second.id}`],
      `?created_after=${second.created_at}&active=true`,
      `?created_before=${second.created_at}`,
      ...['?active=yes', '?limit=0', '?starting_after=pi_1', '?description=Term', '?active='],
    ]) {
      await ask('GET', `${links}${query}`)
    }
    for (const list of [intents, '/v1/events']) {
      await ask('GET', `${list}?payment_link=${second.id}`)
      await ask('GET', `${list}?payment_link=no-link`)
    }
  },

  async 'payment links refused'({ ask, create, apiKey }) {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    for (const body of creationsRefused) {
      await ask('POST', links, { body, headers })
    }
    await ask('GET', links)
    await ask('GET', `${links}/plink_unknown`)
    await ask('PATCH', `${links}/plink_unknown`, { body: { active: false } })
    await ask('PATCH', `${links}/plink_unknown`, { body: {}, headers: {} })
    await ask('DELETE', `${links}/plink_unknown`)
    await ask('POST', intents, { body: { amount_units: 1, payment_link: 'plink_1' } })
    const { id } = await create()
    const intent = await ask('GET', `${intents}/${id}`)
    const { data } = await ask('GET', `/v1/events?payment_intent=${id}&payment_link=plink_1`)
    if (intent.payment_link !== null || data.length > 0) throw new Error('it pays no link')
  },

  async 'one idempotency key, several payment links'({ ask, apiKey, later }) {
    const authorization = `Bearer ${apiKey}`
    const send = (body: object, key = 'link 7') =>
      ask('POST', links, { body, headers: { authorization, 'idempotency-key': key } })
    await send({ ...term, chains: [] })
    const link = await send(term)
    await send({ description: term.description, amount_units: term.amount_units })
    await send({ ...term, amount_units: 40_000_001 })
    await send({ ...term, metadata: { a: 1 } })
    await ask('PATCH', `${links}/${link.id}`, { body: { description: 'Term 3' } })
    await send(term)
    await later()
    await send(term, 'link 8')
    await send(term, '')
    await ask('GET', links)
  },
}
