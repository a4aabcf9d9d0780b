import { at, rounded } from '../numbers.ts'
import { errorsOf, type Load, paced, type Request } from './load.ts'
import { createSetting } from './serverSetting.ts'

const addresses = 500
const perSecond = 50
/** The shop's creations. */
const shopPerSecond = 20

/**
 * A shop's creations alone, next to visits of its payment link, and next to robots that press “Pay” on its page. Visits and robots come
 * from 500 client addresses.
 *
 * @param count of visits, and of presses
 */
export async function linkTraffic(count: number): Promise<void> {
  const setting = await createSetting({ TRUST_PROXY: '1' })
  const { server, db } = setting
  try {
    const shop = await setting.merchant()
    const link = await createLink(server.url, shop.apiKey)
    const headers = (n: number) => ({
      'x-forwarded-for': `10.0.${(n % addresses) >> 8}.${(n % addresses) & 255}`,
    })
    const visitor = (n: number) => `visitor-${String(n).padStart(20, '0')}`
    const visit = (n: number): Request =>
      n % 2 === 0
        ? { method: 'GET', path: `/l/${link.id}`, headers: { ...headers(n), accept: 'text/html' } }
        : {
            ...{ method: 'POST', path: '/v1/payment_links/resolve', headers: headers(n) },
            body: { id: link.id, visitor: visitor(n) },
          }
    const press = (n: number): Request => ({
      ...{ method: 'POST', path: '/v1/payment_links/pay', headers: headers(n) },
      body: { id: link.id, chain: 'base', visitor: visitor(n) },
    })
    const seconds = Math.ceil(count / perSecond)
    const create = (): Promise<Load> =>
      paced(server.url, {
        ...{ perSecond: shopPerSecond, seconds },
        // A thousand prices: one price has no more than ten thousand amounts at a wallet in a day.
        request: (n) => ({
          ...{ method: 'POST', path: '/v1/payment_intents', apiKey: shop.apiKey },
          body: { amount_units: 24_000_000 + (n % 1_000) * 10_000 },
        }),
      })
    const concurrent = (request: (n: number) => Request) =>
      Promise.all([create(), paced(server.url, { perSecond, seconds, request })])
    const ofLink = async () => {
      const { rows } = await db.pool.query(
        `select count(*)::int as intents, coalesce(max(of_client), 0)::int as "of one address",
           (select count(*)::int from payable_reservations r join payment_intents p
              on p.id = r.intent_id where p.payment_link = $1) as amounts
         from (
           select count(*) over (partition by client) as of_client from link_visits
           where link_id = $1
         ) visits`,
        [link.id],
      )
      return rows[0]
    }
    // The first second of a server is slower than all others.
    await paced(server.url, { perSecond: 50, seconds: 2, request: visit })
    const table: Record<string, Record<string, unknown>> = {}
    const single = await create()
    table.alone = row(single, single)
    const [visitsUnderLoad, visits] = await concurrent(visit)
    table[`beside ${count} visits`] = {
      ...{ ...row(visitsUnderLoad, single), statuses: JSON.stringify(visits.statuses) },
      ...(await ofLink()),
    }
    const [pressesUnderLoad, robots] = await concurrent(press)
    table[`beside ${count} presses`] = {
      ...{ ...row(pressesUnderLoad, single), statuses: JSON.stringify(robots.statuses) },
      ...(await ofLink()),
    }
    console.log('\nA shop’s creations, 20 a second: beside visitors of its link, 50 a second')
    console.table(table)
  } finally {
    await setting.close()
  }
}

function row(load: Load, single: Load) {
  const p50 = at(load.latencies, 0.5)
  return {
    ...rounded({ 'p50 ms': p50, 'of alone': p50 / at(single.latencies, 0.5) }, 3),
    ...rounded({ 'p99 ms': at(load.latencies, 0.99), errors: errorsOf(load) }, 3),
  }
}

async function createLink(url: string, apiKey: string): Promise<{ id: string }> {
  const response = await fetch(`${url}/v1/payment_links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount_units: 24_000_000, description: 'Concert' }),
  })
  if (!response.ok) throw new Error(await response.text())
  return response.json()
}
