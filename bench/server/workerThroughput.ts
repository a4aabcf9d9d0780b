import { cpus } from 'node:os'
import { createMerchant } from '../../tests/support/createMerchant.ts'
import { median } from '../numbers.ts'
import { openBenchDb } from '../openBenchDb.ts'
import { startStub } from '../watch/watchSetting.ts'
import { limitCpu } from './limitCpu.ts'
import { load, type Request } from './load.ts'
import { type Process, startProcess } from './serverSetting.ts'

/** Cores in use, on average; PostgreSQL and this machine's other processes use the rest. */
type Sample = {
  readonly perSecond: number
  readonly server: number
  readonly load: number
  readonly machine: number
}

const path = '/v1/payment_intents'
const rounds = 3
/** More than two processes need to be busy whenever they may run. */
const clients = 64
/** The part of a core that PostgreSQL and the load leave for each of two workers on two cores. */
const fraction = 0.2
const wallet = `0x${'5'.repeat(40)}` as const

/**
 * One process and two workers, on one database, under the same load in turns: each process by itself, then with a share
 * of a core. With that, each has a slow core of its own on a machine of few cores too.
 *
 * @returns the medians, by request
 */
export async function workerThroughput(seconds: number): Promise<Record<string, [Sample, Sample]>> {
  const opened = await openBenchDb()
  const stub = await startStub()
  await stub.set({ head: 1_000, genesis: Math.floor(Date.now() / 1000) - 2_000 })
  const start = (count: number) =>
    startProcess('../../apps/server/src/main.ts', '/readyz', {
      DATABASE_URL: opened.db.pool.options.connectionString ?? '',
      SERVER_SECRET: 'f3a1c85d09be72461e8ddc0b94a7365f',
      RPC_URL_BASE_TESTNET: stub.url,
      ...{ LOG_LEVEL: 'error', RESOLVES_PER_ADDRESS: '1000000', WORKERS: String(count) },
    })
  const process = await start(1)
  const two = await start(2)
  let unlimit: (() => void) | null = null
  try {
    const { apiKey } = await createMerchant(opened.db.pool, { name: 'Bench', wallet })
    // More than a cent apart, as prices are.
    let price = 1_000_000
    const creating = (): Request => {
      price += 20_011
      return { method: 'POST', path, apiKey, body: { amount_units: price } }
    }
    const secrets = await Promise.all(
      Array.from({ length: 200 }, () => secretOf(process, creating())),
    )
    const resolving = (index: number): Request => ({
      ...{ method: 'POST', path: `${path}/resolve` },
      body: { client_secret: secrets[index % secrets.length] },
    })
    const results: Record<string, [Sample, Sample]> = {}
    async function compare(suffix: string) {
      for (const [name, request] of Object.entries({ creation: creating, resolve: resolving })) {
        const samples: [Sample[], Sample[]] = [[], []]
        for (let round = 0; round < rounds; round += 1) {
          samples[0].push(await measure(process, seconds, request))
          samples[1].push(await measure(two, seconds, request))
        }
        results[name + suffix] = [medians(samples[0]), medians(samples[1])]
      }
    }
    await compare('')
    unlimit = limitCpu([...process.workers(), ...two.workers()], fraction)
    if (unlimit) await compare(`, each process on ${fraction} of a core`)
    return results
  } finally {
    await process.stop()
    await two.stop()
    unlimit?.()
    stub.close()
    await opened.close()
  }
}

async function measure(
  server: Process,
  seconds: number,
  request: (index: number) => Request,
): Promise<Sample> {
  const before = { server: server.cpu(), load: process.cpuUsage(), machine: machineCpu() }
  const begun = performance.now()
  const { perSecond } = await load(server.url, { clients, seconds, request })
  const took = (performance.now() - begun) / 1_000
  const loadUsage = process.cpuUsage(before.load)
  return {
    perSecond,
    server: (server.cpu() - before.server) / took,
    load: (loadUsage.user + loadUsage.system) / 1e6 / took,
    machine: (machineCpu() - before.machine) / took,
  }
}

function machineCpu(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.sys + times.nice, 0) / 1_000
}

function medians(samples: readonly Sample[]): Sample {
  const of = (name: keyof Sample) => median(samples.map((sample) => sample[name]))
  return {
    ...{ perSecond: of('perSecond'), server: of('server') },
    ...{ load: of('load'), machine: of('machine') },
  }
}

async function secretOf(server: Process, { apiKey, body }: Request): Promise<string> {
  const created = await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return ((await created.json()) as { client_secret: string }).client_secret
}
