/**
 * The server compared with PostgreSQL alone and Fastify alone. They run in turn on this machine: compare
 * the ratios.
 */
import { at, rounded } from './numbers.ts'
import { amongRefunds } from './server/amongRefunds.ts'
import { measureCreation } from './server/creation.ts'
import { crowded } from './server/crowded.ts'
import { pending } from './server/held.ts'
import { linkTraffic } from './server/linkTraffic.ts'
import { errorsOf, type Load, load, paced } from './server/load.ts'
import { startPayer } from './server/payer.ts'
import { reads } from './server/reads.ts'
import { expiry, recording } from './server/recording.ts'
import { createSetting } from './server/serverSetting.ts'
import { workerThroughput } from './server/workerThroughput.ts'

const seconds = Number(process.env.SECONDS ?? 8)
const payerPerSecond = 50
const limit = Number(process.env.INTENTS ?? 1_000_000)

if (process.env.ONLY === 'refunds') {
  await printAmongRefunds()
  process.exit()
}

if (process.env.ONLY === 'crowded') {
  await crowded(limit, seconds / 8)
  process.exit()
}

const setting = await createSetting()
const { server } = setting
const path = '/v1/payment_intents'

try {
  await measureCreation(setting, seconds)
  if (process.env.ONLY === 'creation') {
    await setting.close()
    process.exit()
  }

  const anyCheckout = await reads(setting, seconds)

  console.log(
    `\nAn honest payer, ${payerPerSecond} resolves a second, alone and beside an attack: milliseconds`,
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
    const requests = Array.from({ length: payerPerSecond * seconds }, (_, index) =>
      anyCheckout(index),
    )
    const payer = await startPayer({
      url: server.url,
      perSecond: payerPerSecond,
      seconds,
      requests,
    })
    const [quiet, attacking] = await Promise.all([payer.load, attack?.()])
    const [p50, p99] = [at(quiet.latencies, 0.5), at(quiet.latencies, 0.99)]
    const single = honest.alone?.p99 ?? p99
    honest[name] = {
      ...row({ p50, p99, 'p99 of alone': p99 / Number(single), errors: errorsOf(quiet) }),
      'statuses of the attack': attacking ? JSON.stringify(attacking.statuses) : '',
    }
  }
  console.table(honest)
} finally {
  await setting.close()
}

await crowded(limit, seconds / 8)

await linkTraffic(Number(process.env.VISITS ?? 1_000))

await pending([3_000, 10_000])

console.log('\nA reading that finds payments, among open intents of one merchant')
const [few, many] = [await recording(1_000, [5, 20, 60]), await recording(limit, [5, 20, 60])]
console.table({
  'among 1,000': row({ 'one payment, ms': few.paymentMs }),
  [`among ${limit.toLocaleString('en')}`]: row({
    'one payment, ms': many.paymentMs,
    'of among 1,000': many.paymentMs / few.paymentMs,
  }),
})
console.table({ 'statements for 5, 20, 60 payments': many.statements })

await printAmongRefunds()

const overdue = Math.min(limit, 500_000)
console.log(
  `\n${overdue.toLocaleString('en')} overdue intents expire in ${Math.round(await expiry(overdue))} s.`,
)

console.log('\nOne process and two workers in turns, 64 clients; CPU in cores')
for (const [name, [sample, two]] of Object.entries(await workerThroughput(seconds / 2))) {
  const ratio = two.perSecond / sample.perSecond
  console.log(name)
  console.table({ 'one process': row(sample), 'two workers': row({ ...two, ratio }) })
}

/** The ratios to the first should stay at one: a poll's statements, and a creation within a twentieth. */
async function printAmongRefunds(): Promise<void> {
  const refunds = 10_000
  const sizes = [
    { intents: 1_000, refunds },
    { intents: limit, refunds },
    { intents: limit, refunds: 0 },
  ]
  console.log('\nPolls and creations among intents and open refunds, by turns: medians')
  const result = await amongRefunds(sizes)
  const named = sizes.map(({ intents, refunds }, index) => {
    const name = `${intents.toLocaleString('en')} intents, ${refunds.toLocaleString('en')} refunds`
    return [name, row(result[index] ?? {})]
  })
  console.table(Object.fromEntries(named))
}

function row(values: Readonly<Record<string, number>>): Record<string, number> {
  return rounded(values, 3)
}
