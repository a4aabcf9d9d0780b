/** Measures how fast events become webhooks. PostgreSQL, HTTP and the delivery code are as in production, on one machine. */
import { at, median, rounded } from './numbers.ts'
import { bareLoop, claims, latency, throughput, writeCost } from './webhooks/measureDeliveries.ts'
import { createSetting, type Endpoints } from './webhooks/webhookSetting.ts'

const endpoints: Record<string, Endpoints> = {
  'one endpoint': { live: 1, dead: 0, hanging: 0 },
  'ten endpoints': { live: 10, dead: 0, hanging: 0 },
  'ten, one dead and one hanging beside them': { live: 10, dead: 1, hanging: 1 },
}
const deliveries = 5_000
const rounds = 3

const setting = await createSetting()
try {
  console.log(
    `\nA backlog of ${deliveries} deliveries: the median of ${rounds} rounds, alternating`,
  )
  await bareLoop(setting, deliveries)
  const table: Record<string, Record<string, number>> = {}
  for (const [name, those] of Object.entries(endpoints)) {
    const of: Record<string, number[]> = { 'deliveries/s': [], 'CPU µs': [], 'of a bare loop': [] }
    for (let round = 0; round < rounds; round += 1) {
      const bare = await bareLoop(setting, deliveries)
      const ours = await throughput(setting, those, deliveries)
      of['deliveries/s']?.push(ours.perSecond)
      of['CPU µs']?.push(ours.cpuMicroseconds)
      of['of a bare loop']?.push(ours.perSecond / bare.perSecond)
    }
    const medians = Object.entries(of).map(([column, values]) => [column, median(values)] as const)
    table[name] = rounded(Object.fromEntries(medians))
  }
  console.table(table)
  console.log('To reach: 1,000 deliveries/s')

  console.log('\nFrom commit to the first byte at a receiver, 50 events/s, milliseconds')
  const latencies: Record<string, Record<string, number>> = {}
  for (const [name, those] of Object.entries(endpoints)) {
    latencies[name] = quantiles(await latency(setting, those, { events: 300, everyMs: 20 }))
  }
  console.table(latencies)
  console.log('To reach: p99 of 50 ms')

  console.log('\nOne claim, milliseconds')
  console.table({
    'one endpoint, due': quantiles(await claims(setting, { endpoints: 1, due: 1, dead: 0 })),
    '1,000 endpoints, 5 of them due': quantiles(
      await claims(setting, { endpoints: 1_000, due: 5, dead: 0 }),
    ),
    'the same, and 100,000 undelivered of a dead endpoint': quantiles(
      await claims(setting, { endpoints: 1_000, due: 5, dead: 100_000 }),
    ),
  })

  const { withFanOut, withoutFanOut } = await writeCost(setting)
  console.log(
    '\nA transaction that writes one event, milliseconds: the best of 20 rounds, alternating',
  )
  console.table({
    'for a merchant without endpoints': rounded({
      'with fan-out': withFanOut,
      'without fan-out': withoutFanOut,
      ratio: withFanOut / withoutFanOut,
    }),
  })
} finally {
  await setting.close()
}

function quantiles(sorted: readonly number[]): Record<string, number> {
  return rounded({ p50: at(sorted, 0.5), p99: at(sorted, 0.99) })
}
