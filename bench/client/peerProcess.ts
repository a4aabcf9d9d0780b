/** One peer in a process of its own: makes as many calls as a message says, and reports their cost. */
import { type PeerName, peers } from './peers.ts'

export type Order = { calls: number; concurrency: number }
export type Cost = {
  /** Microseconds of user and system time of this process, a call. */
  cpu: number
  callsPerSecond: number
}

const [name, port] = process.argv.slice(2)
const call = await peers[name as PeerName].prepare(Number(port))

process.on('message', async ({ calls, concurrency }: Order) => {
  // Those who close idle connections have done so since the last time.
  await make(calls / 10, concurrency)
  const started = performance.now()
  const before = process.cpuUsage()
  await make(calls, concurrency)
  const { user, system } = process.cpuUsage(before)
  const seconds = (performance.now() - started) / 1_000
  const cost: Cost = { cpu: (user + system) / calls, callsPerSecond: calls / seconds }
  process.send?.(cost)
})
process.on('disconnect', () => process.exit())
process.send?.('ready')

async function make(calls: number, concurrency: number): Promise<void> {
  let remaining = calls
  const work = async () => {
    while (remaining > 0) {
      remaining -= 1
      await call()
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
}
