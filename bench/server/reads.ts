import { median, rounded } from '../numbers.ts'
import { errorsOf, load, measured, type Request } from './load.ts'
import { createSetting, type Process, type Setting, startProcess } from './serverSetting.ts'

const path = '/v1/payment_intents'
const rounds = 4
/** Seconds of each before all: what V8 compiles in them takes CPU of its own. */
const warming = 3

/**
 * Compares resolve and retrieve with a bare Fastify that echoes the same body, in short rounds by turns.
 *
 * @returns resolves of many checkouts in turn, so that no limit is met
 */
export async function reads(
  { server, merchant }: Setting,
  seconds: number,
): Promise<(index: number) => Request> {
  const { apiKey } = await merchant()
  const create = async () => {
    const created = await fetch(server.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
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
  const orders: Request[] = []
  for (let made = 0; made < 4_000; made += 1) {
    const { id, client_secret } = await create()
    checkouts.push({ ...resolving, body: { client_secret } })
    orders.push({ method: 'GET', path: `${path}/${id}`, apiKey })
  }
  const anyCheckout = (index: number) => checkouts[index % checkouts.length] ?? resolving
  const resolved = await fetch(server.url + resolving.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(resolving.body),
  })
  const response = await resolved.text()
  const echo = await startProcess('./echo.ts', '/')
  const echoing: Request = { method: 'POST', path: '/echo', body: response }
  const anyOrder = (index: number) => orders[index % orders.length] ?? echoing
  const requests: [string, Process, (index: number) => Request][] = [
    ['bare Fastify echo', echo, () => echoing],
    ['resolve', server, anyCheckout],
    ['retrieve', server, anyOrder],
  ]
  const all = requests.map(([name, process, request]) => ({
    ...{ name, errors: 0, perSecond: [] as number[], cpuMs: [] as number[] },
    run: (during: number) =>
      measured(process, () => load(process.url, { clients: 64, seconds: during, request })),
  }))
  for (const { run } of all) await run(warming)
  for (let round = 0; round < rounds; round += 1) {
    for (const of of all) {
      const done = await of.run(seconds / rounds)
      of.perSecond.push(done.perSecond)
      of.cpuMs.push(done.cpuMs)
      of.errors += errorsOf(done)
    }
  }
  const table: Record<string, Record<string, number>> = {}
  const [bare] = all.map(({ perSecond, cpuMs }) => [median(perSecond), median(cpuMs)] as const)
  for (const { name, errors, ...of } of all) {
    const [perSecond, cpuMs] = [median(of.perSecond), median(of.cpuMs)]
    const row = {
      'per second': perSecond,
      'of echo': perSecond / (bare?.[0] ?? Number.NaN),
      'CPU ms': cpuMs,
      'of echo by CPU': (bare?.[1] ?? Number.NaN) / cpuMs,
      errors,
    }
    table[name] = rounded(row, 3)
  }
  await echo.stop()
  console.log('\nReads, 64 clients')
  console.table(table)
  return anyCheckout
}

if (import.meta.main) {
  const setting = await createSetting()
  await reads(setting, Number(process.env.SECONDS ?? 8)).finally(() => setting.close())
}
