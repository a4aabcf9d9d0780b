import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { ascending, at, median, rounded } from '../numbers.ts'
import { type Load, load, type Request } from './load.ts'
import { openPgbench } from './pgbench.ts'
import type { Setting } from './serverSetting.ts'

/** Tags of one price last for as many creations as the rounds make. */
const shops = 50
const rounds = 5
const clients = 32
/** Until V8 has compiled the code of creations, which servers run for weeks: the first thousands take twice the CPU of later creations. */
const warming = 15_000

type Round = {
  readonly perSecond: number
  readonly latencies: number[]
  /** Milliseconds of CPU for a creation. */
  readonly serverMs: number
  readonly postgresMs: number
  readonly loadMs: number
  /** The unused part of the machine's CPU. */
  readonly idle: number
}

/** Creations next to pgbench in short rounds by turns: medians of them, latencies of all. */
export async function measureCreation(setting: Setting, seconds: number): Promise<void> {
  const merchants: { apiKey: string }[] = []
  for (let made = 0; made < shops; made += 1) merchants.push(await setting.merchant())
  const { server, db, databaseUrl } = setting
  const cpuOfPostgres = await postgresClock(setting)
  const errors: Record<number, number> = {}
  let price = 2_000_000
  let keys = 0

  const creation = (amount: () => number) => (): Request => {
    keys += 1
    return {
      ...{ method: 'POST', path: '/v1/payment_intents', body: { amount_units: amount() } },
      apiKey: merchants[keys % shops]?.apiKey ?? '',
      idempotencyKey: `order-${keys}`,
    }
  }
  const distinct = creation(() => {
    price += 101
    return price
  })
  const samePrice = creation(() => 990_000_000)

  async function measured(work: () => Promise<Load>): Promise<Round> {
    const before = [server.cpu(), cpuOfPostgres(), processCpu()] as const
    const idleFraction = startIdle()
    const { perSecond, latencies, statuses } = await work()
    const spent = (now: number, then: number) => ((now - then) * 1000) / latencies.length
    for (const [status, count] of Object.entries(statuses)) {
      if (status !== '200') errors[Number(status)] = (errors[Number(status)] ?? 0) + count
    }
    return {
      ...{ perSecond, latencies, idle: idleFraction() },
      serverMs: spent(server.cpu(), before[0]),
      postgresMs: spent(cpuOfPostgres(), before[1]),
      loadMs: spent(processCpu(), before[2]),
    }
  }

  const pgbench = await openPgbench(db, databaseUrl)
  const peer = async (count: number): Promise<Round> => {
    const before = [cpuOfPostgres(), endedCpu()] as const
    const idleFraction = startIdle()
    const done = await pgbench?.run({
      clients: count,
      seconds: Math.max(1, Math.round(seconds / 2)),
    })
    const { perSecond = Number.NaN, latencies = [] } = done ?? {}
    const spent = (now: number, then: number) => ((now - then) * 1000) / latencies.length
    return {
      ...{ perSecond, latencies, idle: idleFraction(), serverMs: 0 },
      postgresMs: spent(cpuOfPostgres(), before[0]),
      loadMs: spent(endedCpu(), before[1]),
    }
  }
  const ours = (count: number, request: () => Request) =>
    measured(() => load(server.url, { clients: count, seconds: seconds / 2, request }))

  for (let made = 0; made < warming; ) made += (await ours(clients, distinct)).latencies.length
  await makeWalFiles(setting)
  const table: Record<string, Record<string, number>> = {}
  for (const count of [clients, 1]) {
    const all: Record<string, Round[]> = { pgbench: [], 'distinct prices': [], 'one price': [] }
    for (let round = 0; round < rounds; round += 1) {
      all.pgbench?.push(await peer(count))
      all['distinct prices']?.push(await ours(count, distinct))
      all['one price']?.push(await ours(count, samePrice))
    }
    const [base, ...rows] = Object.entries(all).map(([name, done]) => ({ name, ...summary(done) }))
    if (!base) continue
    const label = (name: string) => `${name}, ${count} ${count === 1 ? 'client' : 'clients'}`
    table[label('pgbench, the same three inserts')] = shown(base, base)
    for (const row of rows) table[label(row.name)] = shown(row, base)
  }
  await pgbench?.close()
  console.log('\nDurable creation')
  console.table(table)
  if (Object.keys(errors).length > 0) console.log('errors by status:', errors)
}

/**
 * Has the cluster the files of its write-ahead log that it would have after a day: it uses them again. Until there are enough,
 * which is 1 GB by default, it makes a new file for each 16 MB that are written, and all commits wait 50 ms for it.
 */
async function makeWalFiles({ db }: Setting): Promise<void> {
  await db.pool.query(`
    do $$ begin
      for n in 1..62 loop
        perform pg_logical_emit_message(true, 'bench', '');
        perform pg_switch_wal();
      end loop;
    end $$`)
  await db.pool.query('checkpoint')
}

function summary(all: readonly Round[]) {
  const of = (value: (round: Round) => number) => median(all.map(value))
  const latencies = all.flatMap((round) => round.latencies).sort(ascending)
  return {
    perSecond: of((round) => round.perSecond),
    p50: at(latencies, 0.5),
    p99: at(latencies, 0.99),
    serverMs: of((round) => round.serverMs),
    postgresMs: of((round) => round.postgresMs),
    loadMs: of((round) => round.loadMs),
    idle: of((round) => round.idle),
  }
}

function shown(row: ReturnType<typeof summary>, base: ReturnType<typeof summary>) {
  return rounded(
    {
      'per second': row.perSecond,
      'of pgbench': row.perSecond / base.perSecond,
      'p50 ms': row.p50,
      'p99 ms': row.p99,
      'p99 of pgbench': row.p99 / base.p99,
      'CPU ms, server': row.serverMs,
      'CPU ms, PostgreSQL': row.postgresMs,
      'CPU ms, load': row.loadMs,
      'idle CPU, %': row.idle * 100,
    },
    3,
  )
}

/** Seconds of CPU of this process, which makes the load. */
function processCpu(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Linux: seconds of CPU of the programs that this process has run and that have ended, as pgbench. */
function endedCpu(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) / 100
}

/** Linux: measures which share of the machine's CPU is idle, waiting for the disk among it. */
function startIdle(): () => number {
  const read = () => {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
    // user, nice, system, idle, iowait, irq, softirq and steal
    const jiffies = line.trim().split(/\s+/).slice(1, 9).map(Number)
    const [, , , idle = 0, waiting = 0] = jiffies
    return { idle: idle + waiting, all: jiffies.reduce((sum, jiffy) => sum + jiffy, 0) }
  }
  const before = read()
  return () => {
    const now = read()
    return (now.idle - before.idle) / (now.all - before.all)
  }
}

/** Linux: seconds of CPU of all PostgreSQL processes of this cluster, also of those that have ended. */
async function postgresClock({ db }: Setting): Promise<() => number> {
  const { rows } = await db.pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  // All of them work in the folder of the cluster.
  const folder = readlinkSync(`/proc/${rows[0]?.pid}/cwd`)
  const fields = (pid: string) =>
    (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []).map(Number)
  return () => {
    let jiffies = 0
    for (const pid of readdirSync('/proc')) {
      try {
        if (!/^\d+$/.test(pid) || readlinkSync(`/proc/${pid}/cwd`) !== folder) continue
        // utime, stime and those of children that were waited for.
        for (const at of [11, 12, 13, 14]) jiffies += fields(pid)[at] ?? 0
      } catch {
        // It has ended.
      }
    }
    return jiffies / 100
  }
}
