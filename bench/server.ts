/**
 * The server compared with PostgreSQL alone and Fastify alone. They run one after the other on this machine: compare
 * the ratios.
 */
import { at, rounded } from './numbers.ts'
import { type Load, load, paced, type Request } from './server/load.ts'
import { pgbench } from './server/pgbench.ts'
import { expiry, recording } from './server/recording.ts'
import { createSetting, type Process, startProcess } from './server/setting.ts'
import { workers } from './server/workers.ts'

const seconds = Number(process.env.SECONDS ?? 8)
const most = Number(process.env.INTENTS ?? 1_000_000)

const setting = await createSetting()
const { server } = setting
const shop = await setting.merchant()
const path = '/v1/payment_intents'

function creation(amount: (index: number) => number) {
  return (index: number): Request => ({
    ...{ method: 'POST', path, apiKey: shop.apiKey },
    body: { amount_units: amount(index) },
  })
}

/** What a load costs the server's process, too. */
async function measured(process: Process, work: () => Promise<Load>) {
  const before = process.cpu()
  const done = await work()
  const requests = done.latencies.length
  return { ...done, cpuMs: ((process.cpu() - before) * 1000) / requests }
}

try {
  const clients = 32
  const base = await pgbench(setting.db, setting.databaseUrl, seconds)
  await load(server.url, { clients, seconds: 2, request: creation((index) => 1_000_000 + index) })
  const distinct = await measured(server, () =>
    load(server.url, { clients, seconds, request: creation((index) => 2_000_000 + index * 101) }),
  )
  const one = await measured(server, () =>
    load(server.url, { clients, seconds, request: creation(() => 990_000_000) }),
  )
  console.log('\nDurable creation, 32 clients')
  console.table({
    'pgbench, the same three inserts': row({ 'per second': base ?? Number.NaN }),
    'distinct prices': row({
      'per second': distinct.perSecond,
      'of pgbench': distinct.perSecond / (base ?? Number.NaN),
      'CPU ms': distinct.cpuMs,
      'p99 ms': at(distinct.latencies, 0.99),
      errors: errorsOf(distinct),
    }),
    'one price': row({
      'per second': one.perSecond,
      'of pgbench': one.perSecond / (base ?? Number.NaN),
      'of distinct prices': one.perSecond / distinct.perSecond,
      'CPU ms': one.cpuMs,
      'p99 ms': at(one.latencies, 0.99),
      errors: errorsOf(one),
    }),
  })

  const create = async () => {
    const created = await fetch(server.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${shop.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ amount_units: 5_000_000 }),
    })
    return (await created.json()) as { id: string; client_secret: string }
  }
  const intent = await create()
  const resolving: Request = {
    ...{ method: 'POST', path: `${path}/resolve` },
    body: { client_secret: intent.client_secret },
  }
  const checkouts: Request[] = []
  for (let made = 0; made < 500; made += 1) {
    const { client_secret } = await create()
    checkouts.push({ ...resolving, body: { client_secret } })
  }
  /** Each checkout asks at its own pace, so that no limit is met. */
  const anyCheckout = (index: number) => checkouts[index % checkouts.length] ?? resolving
  const resolved = await fetch(server.url + resolving.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(resolving.body),
  })
  const answer = await resolved.text()
  const echo = await startProcess('./echo.ts', '/')
  const reads: Record<string, Record<string, number>> = {}
  const echoing: Request = { method: 'POST', path: '/echo', body: answer }
  const retrieving: Request = { method: 'GET', path: `${path}/${intent.id}`, apiKey: shop.apiKey }
  const requests: [string, Process, (index: number) => Request][] = [
    ['bare Fastify echo', echo, () => echoing],
    ['resolve', server, anyCheckout],
    ['retrieve', server, () => retrieving],
  ]
  const bare = { perSecond: Number.NaN, cpuMs: Number.NaN }
  for (const [name, process, request] of requests) {
    const done = await measured(process, () => load(process.url, { clients: 64, seconds, request }))
    if (process === echo) Object.assign(bare, done)
    reads[name] = row({
      'per second': done.perSecond,
      'of echo': done.perSecond / bare.perSecond,
      'CPU ms': done.cpuMs,
      'of echo by CPU': bare.cpuMs / done.cpuMs,
      errors: errorsOf(done),
    })
  }
  await echo.stop()
  console.log('\nReads, 64 clients')
  console.table(reads)

  console.log(
    '\nAn honest checkout, 20 resolves a second, alone and beside an attack: p99 in milliseconds',
  )
  const attacker = await setting.merchant()
  const forged = (index: number) => `sk_test_${String(index).padStart(43, '0')}`
  const stuffing = `{"client_secret":"x",${Array.from({ length: 6_000 }, (_, n) => `"k${n}":0`).join()}}`
  const attacks: Record<string, (() => Promise<Load>) | null> = {
    alone: null,
    'unknown keys, 64 KiB, 6 a second': () =>
      paced(server.url, {
        ...{ perSecond: 6, seconds },
        request: () => ({ method: 'POST', path: `${path}/resolve`, body: stuffing }),
      }),
    'creations of one price by one merchant, 32 clients': () =>
      load(server.url, {
        ...{ clients: 32, seconds },
        request: () => ({
          ...{ method: 'POST', path, apiKey: attacker.apiKey },
          body: { amount_units: 1_000_000 },
        }),
      }),
    // Last: afterwards the address is refused, with the merchants behind it.
    'forged API keys, 500 a second': () =>
      paced(server.url, {
        ...{ perSecond: 500, seconds },
        request: (index) => ({ method: 'GET', path, apiKey: forged(index) }),
      }),
  }
  const honest: Record<string, Record<string, number | string>> = {}
  for (const [name, attack] of Object.entries(attacks)) {
    const [quiet, attacking] = await Promise.all([
      paced(server.url, { perSecond: 20, seconds, request: anyCheckout }),
      attack?.(),
    ])
    const p99 = at(quiet.latencies, 0.99)
    const alone = honest.alone?.['p99 ms'] ?? p99
    honest[name] = {
      ...row({ 'p99 ms': p99, 'of alone': p99 / Number(alone), errors: errorsOf(quiet) }),
      'attacker is answered': attacking ? JSON.stringify(attacking.statuses) : '',
    }
  }
  console.table(honest)
} finally {
  await setting.close()
}

console.log('\nA reading that finds payments, among open intents of one merchant')
const [few, many] = [await recording(1_000, [5, 20, 60]), await recording(most, [5, 20, 60])]
console.table({
  'among 1,000': row({ 'one payment, ms': few.oneMs }),
  [`among ${most.toLocaleString('en')}`]: row({
    'one payment, ms': many.oneMs,
    'of among 1,000': many.oneMs / few.oneMs,
  }),
})
console.table({ 'statements for 5, 20, 60 payments': many.statements })

const overdue = Math.min(most, 500_000)
console.log(
  `\n${overdue.toLocaleString('en')} overdue intents expire in ${Math.round(await expiry(overdue))} s.`,
)

console.log('\nOne process and two workers in turns, 32 clients; CPU in cores')
for (const [name, [one, two]] of Object.entries(await workers(seconds / 2))) {
  const ratio = two.perSecond / one.perSecond
  console.log(name)
  console.table({ 'one process': row(one), 'two workers': row({ ...two, ratio }) })
}

function errorsOf({ statuses }: Load): number {
  return Object.entries(statuses).reduce(
    (errors, [status, count]) => errors + (Number(status) === 200 ? 0 : count),
    0,
  )
}

function row(values: Record<string, number>): Record<string, number> {
  return rounded(values, 3)
}
