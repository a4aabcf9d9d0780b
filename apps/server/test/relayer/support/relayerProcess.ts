import { chainFacts } from '@payment-intents/contract'
import { openProviders } from '../../../src/chain/providers/openProviders.ts'
import { openSigner } from '../../../src/relayer/account/openSigner.ts'
import { relay } from '../../../src/relayer/relay.ts'
import { connect } from '../../../src/store/connection/connect.ts'

/** The settings of a relayer in a separate process that kills itself at a step: a statement or a call to the chain. */
export type ProcessSettings = {
  readonly databaseUrl: string
  readonly rpcUrl: string
  readonly key: `0x${string}`
  readonly confirmations: number
  readonly killAt: KillAt | null
}

/**
 * `step` is the number of a step, or the name of a statement or call. `isDone` tells whether to kill after or before
 * it.
 */
export type KillAt = { readonly step: number | string; readonly isDone: boolean }

const settings: ProcessSettings = JSON.parse(process.argv[2] ?? '')
const { killAt } = settings
let steps = 0

/** Does something that others can notice, unless the process must end before it. */
async function step<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  steps += 1
  const isLast = killAt?.step === steps || killAt?.step === name
  if (isLast && !killAt?.isDone) process.kill(process.pid, 'SIGKILL')
  const result = await work()
  if (isLast) process.kill(process.pid, 'SIGKILL')
  return result
}

const facts = chainFacts('testnet', 'base')
const write = (fields: object, message: string) =>
  console.log(JSON.stringify({ ...fields, message }, (_, value) => toText(value)))
const log = { info: write, warn: write }
const db = connect({ url: settings.databaseUrl, poolSize: 4 })
db.pool.on('connect', (client) => {
  // biome-ignore lint/suspicious/noExplicitAny: `query` of pg has a dozen signatures, one of them with a callback
  const query: (...args: any[]) => any = client.query.bind(client)
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const counted = (...args: any[]) => {
    const callback = args.at(-1)
    const name = args[0].name ?? String(args[0].text ?? args[0])
    if (typeof callback !== 'function') return step(name, () => query(...args))
    const response = step(name, () => {
      const { promise, resolve, reject } = Promise.withResolvers()
      query(...args.slice(0, -1), (error: unknown, result: unknown) =>
        error ? reject(error) : resolve(result),
      )
      return promise
    })
    return void response.then((result) => callback(null, result), callback)
  }
  Object.assign(client, { query: counted })
})
const clock = { now: () => Date.now(), databaseNow: Date.now, random: () => 0 }
const providers = openProviders({ ...clock, log, facts, urls: [settings.rpcUrl] })
for (const connection of providers.connections) {
  const { request } = connection
  Object.assign(connection, {
    request: (...args: Parameters<typeof request>) => step(args[0], () => request(...args)),
  })
}
const coin = 10n ** 18n
relay({
  ...{
    db,
    database: { report: console.error },
    log,
    facts,
    providers,
    pollMs: 50,
    random: () => 0,
  },
  signer: openSigner(settings.key),
  confirmations: settings.confirmations,
  limits: { maxFeePerGas: coin, dailySpend: coin, merchantDailySpend: coin },
})
write({}, 'running')

function toText(value: unknown): unknown {
  if (value instanceof Error) return value.stack
  return typeof value === 'bigint' ? String(value) : value
}
