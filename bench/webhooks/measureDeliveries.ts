import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { claimDeliveries } from '../../apps/server/src/store/webhook-endpoints/claims.ts'
import { ascending } from '../numbers.ts'
import { type Endpoints, insertDead, insertEndpoints, type Setting } from './webhookSetting.ts'

export type Throughput = { perSecond: number; cpuMicroseconds: number }

/** Deliveries of a backlog to the endpoints that respond. */
export async function throughput(
  setting: Setting,
  endpoints: Endpoints,
  deliveries: number,
): Promise<Throughput> {
  await setting.prepare(endpoints)
  await setting.writeEvents(deliveries / endpoints.live)
  await setting.db.pool.query('vacuum analyze')
  const started = performance.timeOrigin + performance.now()
  const before = process.cpuUsage()
  const stop = await setting.deliver()
  const arrivals = await setting.arrived(deliveries)
  const { user, system } = process.cpuUsage(before)
  await stop()
  const last = Math.max(...arrivals.map(([, at]) => at))
  return {
    perSecond: (deliveries * 1_000) / (last - started),
    cpuMicroseconds: (user + system) / deliveries,
  }
}

/** The same bodies by the same client, and nothing else: the upper bound of any delivery. */
export async function bareLoop(setting: Setting, posts: number): Promise<Throughput> {
  await setting.prepare({ live: 0, dead: 0, hanging: 0 })
  const dispatcher = new Agent()
  const body = JSON.stringify({ filling: 'x'.repeat(1_200) })
  const headers = { 'content-type': 'application/json', 'webhook-id': 'evt_bare' }
  const started = performance.now()
  const before = process.cpuUsage()
  let remaining = posts
  const work = async () => {
    while (remaining-- > 0) {
      const response = await request(setting.receiverUrl, {
        dispatcher,
        method: 'POST',
        headers,
        body,
      })
      await response.body.dump()
    }
  }
  await Promise.all(Array.from({ length: 16 }, work))
  const seconds = (performance.now() - started) / 1_000
  const { user, system } = process.cpuUsage(before)
  await dispatcher.close()
  return { perSecond: posts / seconds, cpuMicroseconds: (user + system) / posts }
}

/** Milliseconds from an event's commit to its first byte at each endpoint that responds, sorted. */
export async function latency(
  setting: Setting,
  endpoints: Endpoints,
  sampling: { events: number; everyMs: number },
): Promise<number[]> {
  await setting.prepare(endpoints)
  const stop = await setting.deliver()
  for (let warming = 0; warming < 20; warming += 1) await setting.writeEvent()
  await setting.arrived(20 * endpoints.live)
  const committed = new Map<string, number>()
  const writes: Promise<void>[] = []
  for (let event = 0; event < sampling.events; event += 1) {
    writes.push(
      setting.writeEvent().then(({ id, committed: at }) => {
        committed.set(id, at)
      }),
    )
    await sleep(sampling.everyMs)
  }
  await Promise.all(writes)
  const arrivals = await setting.arrived(sampling.events * endpoints.live)
  await stop()
  return arrivals
    .map(([id, at]) => at - (committed.get(id) ?? Number.NaN))
    .filter((waited) => !Number.isNaN(waited))
    .sort(ascending)
}

export type Backlog = {
  endpoints: number
  /** The number of them with a due event. */
  due: number
  /** Rows of another endpoint, where nothing gets through: half of them due. */
  dead: number
}

/** Milliseconds of a claim, sorted; each is rolled back, so that all find the same. */
export async function claims(setting: Setting, backlog: Backlog): Promise<number[]> {
  const { db } = setting
  const url = setting.receiverUrl
  await setting.prepare({ live: 0, dead: 0, hanging: 0 })
  await insertEndpoints(
    db,
    Array.from({ length: backlog.due }, () => url),
  )
  await setting.writeEvent()
  if (backlog.dead > 0) await insertDead(db, backlog.dead)
  const idle = backlog.endpoints - backlog.due
  await insertEndpoints(
    db,
    Array.from({ length: idle }, () => url),
  )
  await db.pool.query('vacuum analyze')
  const client = await db.pool.connect()
  const took: number[] = []
  for (let round = 0; round < 50; round += 1) {
    await client.query('begin')
    const started = performance.now()
    const claimed = await claimDeliveries(client, {
      ...{ total: 256, failing: 128, perEndpoint: 16, perFailing: 1 },
      ...{ busy: new Map(), claimMs: 20_000 },
    })
    took.push(performance.now() - started)
    await client.query('rollback')
    const expected = backlog.due + (backlog.dead > 0 ? 1 : 0)
    if (claimed.length !== expected) throw new Error(`claimed ${claimed.length} of ${expected}`)
  }
  client.release()
  return took.sort(ascending)
}

export type WriteCost = { withFanOut: number; withoutFanOut: number }

/** Milliseconds that writing one event takes for a merchant without endpoints, and took before there were any. */
export async function writeCost(setting: Setting): Promise<WriteCost> {
  await setting.prepare({ live: 0, dead: 0, hanging: 0 })
  const cost: WriteCost = {
    withFanOut: Number.POSITIVE_INFINITY,
    withoutFanOut: Number.POSITIVE_INFINITY,
  }
  for (let round = 0; round < 20; round += 1) {
    const withFanOut = await meanOf(setting.writeEvent)
    const withoutFanOut = await meanOf(setting.writeWithoutDeliveries)
    cost.withFanOut = Math.min(cost.withFanOut, withFanOut)
    cost.withoutFanOut = Math.min(cost.withoutFanOut, withoutFanOut)
  }
  return cost
}

async function meanOf(work: () => Promise<unknown>): Promise<number> {
  const times = 50
  const started = performance.now()
  for (let time = 0; time < times; time += 1) await work()
  return (performance.now() - started) / times
}
