import { rounded } from '../numbers.ts'
import { errorsOf, load, measured, type Request } from './load.ts'
import { createSetting, type Process, type Setting, startProcess } from './setting.ts'

const path = '/v1/payment_intents'

/**
 * Compares resolve and retrieve with a bare Fastify that echoes the same body.
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
  const answer = await resolved.text()
  const echo = await startProcess('./echo.ts', '/')
  const echoing: Request = { method: 'POST', path: '/echo', body: answer }
  const anyOrder = (index: number) => orders[index % orders.length] ?? echoing
  const requests: [string, Process, (index: number) => Request][] = [
    ['bare Fastify echo', echo, () => echoing],
    ['resolve', server, anyCheckout],
    ['retrieve', server, anyOrder],
  ]
  const bare = { perSecond: Number.NaN, cpuMs: Number.NaN }
  const table: Record<string, Record<string, number>> = {}
  for (const [name, process, request] of requests) {
    const ask = (during: number) => load(process.url, { clients: 64, seconds: during, request })
    // What is compiled at first is not measured.
    await ask(1)
    const done = await measured(process, () => ask(seconds))
    if (process === echo) Object.assign(bare, done)
    const row = {
      'per second': done.perSecond,
      'of echo': done.perSecond / bare.perSecond,
      'CPU ms': done.cpuMs,
      'of echo by CPU': bare.cpuMs / done.cpuMs,
      errors: errorsOf(done),
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
