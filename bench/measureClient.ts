/** Measures the cost of a call of the Node client next to its peers: against one bare local server, in alternating rounds. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Cost, Order } from './client/peerProcess.ts'
import { type PeerName, peers } from './client/peers.ts'
import { median } from './numbers.ts'

const concurrency = 64
const calls = 6_400
const rounds = 9

const service = start('./client/serviceProcess.ts')
const [port] = await once(service, 'message')
const callers = new Map<PeerName, ChildProcess>()
const costs = new Map<PeerName, Cost[]>()
try {
  for (const name of Object.keys(peers) as PeerName[]) {
    const caller = start('./client/peerProcess.ts', name, String(port))
    callers.set(name, caller)
    await once(caller, 'message')
    await measure(caller)
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, caller] of callers) {
      const cost = await measure(caller)
      costs.set(name, [...(costs.get(name) ?? []), cost])
    }
  }
} finally {
  for (const child of [service, ...callers.values()]) child.disconnect()
}

console.log(`\nA call at ${concurrency} at once: the median of ${rounds} rounds of ${calls} calls`)
const table: Record<string, Record<string, number>> = {}
for (const [name, ofPeer] of costs) {
  const cpu = ofPeer.map((cost) => cost.cpu)
  table[name] = {
    'CPU µs': Math.round(median(cpu)),
    least: Math.round(Math.min(...cpu)),
    most: Math.round(Math.max(...cpu)),
    'calls/s': Math.round(median(ofPeer.map(({ callsPerSecond }) => callsPerSecond))),
    'payment-intents / it': Math.round(ratioTo(name) * 100) / 100,
  }
}
console.table(table)
console.log('To reach: at most 1.0 of stripe')

function start(file: string, ...args: string[]): ChildProcess {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args)
  child.on('exit', (code) => {
    if (code !== 0) throw new Error(`${[file, ...args].join(' ')} ended with ${code}`)
  })
  return child
}

async function measure(caller: ChildProcess): Promise<Cost> {
  const order: Order = { calls, concurrency }
  caller.send(order)
  const [cost] = await once(caller, 'message')
  return cost
}

/** The median ratio of CPU time within a round, since the machine's other load changes between rounds. */
function ratioTo(name: PeerName): number {
  const costsOfClient = costs.get('payment-intents') ?? []
  const costsOfPeer = costs.get(name) ?? []
  return median(
    costsOfClient.map(({ cpu }, round) => cpu / (costsOfPeer[round]?.cpu ?? Number.NaN)),
  )
}
