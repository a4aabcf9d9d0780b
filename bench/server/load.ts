import { Pool } from 'undici'
import { ascending } from '../numbers.ts'
import { openConnection } from './httpConnection.ts'
import type { Process } from './serverSetting.ts'

export type Request = {
  method: 'GET' | 'POST'
  path: string
  apiKey?: string
  idempotencyKey?: string
  headers?: Readonly<Record<string, string>>
  body?: object | string
}

export type Load = {
  perSecond: number
  /** By HTTP status. */
  statuses: Record<number, number>
  /** Milliseconds, sorted. */
  latencies: number[]
}

/** Runs this many clients, each of which sends its next request when the last has its response. */
export async function load(
  url: string,
  options: { clients: number; seconds: number; request: (index: number) => Request },
): Promise<Load> {
  const connections = await Promise.all(
    Array.from({ length: options.clients }, () => openConnection(url)),
  )
  const end = performance.now() + options.seconds * 1000
  const latencies: number[] = []
  const statuses: Record<number, number> = {}
  let index = 0
  const begun = performance.now()
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < end) {
        index += 1
        const sent = performance.now()
        const status = await connection.send(options.request(index))
        latencies.push(performance.now() - sent)
        statuses[status] = (statuses[status] ?? 0) + 1
      }
    }),
  )
  const seconds = (performance.now() - begun) / 1000
  for (const connection of connections) connection.close()
  return { perSecond: latencies.length / seconds, statuses, latencies: latencies.sort(ascending) }
}

/** Also measures the cost of a load for the server's process. */
export async function measured(
  process: Process,
  work: () => Promise<Load>,
): Promise<Load & { cpuMs: number }> {
  const before = process.cpu()
  const done = await work()
  const requests = done.latencies.length
  return { ...done, cpuMs: ((process.cpu() - before) * 1000) / requests }
}

export function errorsOf({ statuses }: Load): number {
  return Object.entries(statuses).reduce(
    (errors, [status, count]) => errors + (Number(status) === 200 ? 0 : count),
    0,
  )
}

/** So many requests a second, whether the last request has its response or not. */
export async function paced(
  url: string,
  options: { perSecond: number; seconds: number; request: (index: number) => Request },
): Promise<Load> {
  const pool = new Pool(url, { connections: 64, pipelining: 1 })
  const latencies: number[] = []
  const statuses: Record<number, number> = {}
  const all: Promise<void>[] = []
  for (let index = 0; index < options.perSecond * options.seconds; index += 1) {
    const sent = performance.now()
    all.push(
      send(pool, options.request(index)).then((status) => {
        latencies.push(performance.now() - sent)
        statuses[status] = (statuses[status] ?? 0) + 1
      }),
    )
    await new Promise((resolve) => setTimeout(resolve, 1000 / options.perSecond))
  }
  await Promise.all(all)
  await pool.close()
  return { perSecond: options.perSecond, statuses, latencies: latencies.sort(ascending) }
}

async function send(
  pool: Pool,
  { method, path, apiKey, idempotencyKey, headers, body }: Request,
): Promise<number> {
  const text = typeof body === 'object' ? JSON.stringify(body) : body
  const response = await pool.request({
    ...{ method, path },
    ...(text === undefined ? {} : { body: text }),
    headers: {
      ...headers,
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
      ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
    },
  })
  await response.body.dump({ limit: 1_000_000 })
  return response.statusCode
}
