import type { Follower } from './followEvents.ts'
import type { Shops } from './openShops.ts'
import { type Client, readAll } from './trialClient.ts'
import type { Event, Intent, MerchantRecord, Transfer, TrialRecord } from './trialRecord.ts'
import { confirmationsRequired, type Merchant, type World } from './trialWorld.ts'

/** Reads all that the checks need, once nothing changes any more. */
export async function gather(
  world: World,
  shops: Shops,
  followers: readonly Follower[],
): Promise<TrialRecord> {
  const { chain, client, database, receivers, servers } = world
  const { orders } = shops
  const merchants: MerchantRecord[] = []
  for (const [number, merchant] of world.merchants.entries()) {
    const ids = orders.filter((order) => order.merchant === number).map(({ intentId }) => intentId)
    const followed = (await followers[number]?.readOn()) ?? []
    merchants.push({ ...(await readMerchant(client, merchant, ids)), followed })
  }
  const { arrivals } = receivers
  const bodies = new Set(arrivals.map(({ body }) => body))
  const clientSecrets = orders.slice(0, 50).map(({ responses }) => {
    return { name: 'a client secret', value: JSON.parse(responses[0] ?? '{}').client_secret }
  })
  return {
    ...{ confirmationsRequired, merchants, orders, arrivals },
    payments: chain.payments,
    chain: await chain.read(world.merchants.map(({ wallet }) => wallet)),
    resolved: shops.resolved,
    foreign: await readForeign(world, merchants),
    texts: [
      ...(await database.texts()),
      { where: "the servers' logs", text: servers.output() },
      { where: 'an error', text: client.errors.join('\n') },
      { where: 'a webhook', text: [...bodies].join('\n') },
    ],
    secrets: [...world.secrets, ...clientSecrets],
    leaseLog: await database.leaseLog(),
    ended: servers.ended,
  }
}

async function readMerchant(
  client: Client,
  { apiKey, wallet, endpoints }: Merchant,
  ids: readonly string[],
): Promise<Omit<MerchantRecord, 'followed'>> {
  const retrieved = new Map<string, Intent | null>()
  for (const id of ids) {
    const path = `/v1/payment_intents/${id}`
    const { status, text } = await client.request({ method: 'GET', path, apiKey })
    retrieved.set(id, status === 200 ? JSON.parse(text) : null)
  }
  return {
    ...{ wallet, endpoints, retrieved },
    intents: await readAll<Intent>(client, apiKey, '/v1/payment_intents'),
    transfers: await readAll<Transfer>(client, apiKey, '/v1/transfers'),
    events: await readAll<Event>(client, apiKey, '/v1/events'),
  }
}

/** How much of each kind is requested with another merchant's key. */
const foreignAtMost = 20

async function readForeign(
  { client, merchants }: World,
  records: readonly MerchantRecord[],
): Promise<TrialRecord['foreign']> {
  const requests: { request: string; status: number }[] = []
  for (const [number, { intents, events, transfers }] of records.entries()) {
    const stranger = (number + 1) % records.length
    const apiKey = merchants[stranger]?.apiKey
    const intentOfStranger = records[stranger]?.intents[0]?.id ?? 'pi_none'
    const request = async (method: 'GET' | 'POST', path: string, body?: object) => {
      const { status } = await client.request({ method, path, apiKey, ...(body ? { body } : {}) })
      requests.push({ request: `${method} ${path}`, status })
    }
    for (const { id } of intents.slice(0, foreignAtMost)) {
      await request('GET', `/v1/payment_intents/${id}`)
      await request('POST', `/v1/payment_intents/${id}/cancel`)
      await request('POST', `/v1/payment_intents/${id}/accept`)
    }
    for (const { id } of events.slice(0, foreignAtMost)) await request('GET', `/v1/events/${id}`)
    for (const { id } of transfers.slice(0, foreignAtMost)) {
      await request('POST', `/v1/transfers/${id}/assign`, { payment_intent: intentOfStranger })
    }
  }
  return requests
}
