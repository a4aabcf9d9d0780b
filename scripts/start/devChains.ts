import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startDevChain } from '@payment-intents/testing'
import { accountWithoutGas } from './demoAccounts.ts'

/** The development chains as one process: `devChains.ts <folder of their states> <port> <port of Polygon's>`, ended by SIGTERM. */
const [folder, port, polygonPort] = process.argv.slice(2)
if (!folder || !port || !polygonPort) throw new Error('Usage: devChains.ts <folder> <port> <port>')

const chains = await Promise.all([
  startDevChain({ port: Number(port), statePath: join(folder, 'chain.json'), quiet: false }),
  startDevChain({
    chain: 'polygon',
    port: Number(polygonPort),
    statePath: join(folder, 'chain-polygon.json'),
    quiet: false,
  }),
])
await Promise.all(chains.map((chain) => chain.rpc('anvil_setBalance', [accountWithoutGas, '0x0'])))
const stopping = new AbortController()
process.once('SIGTERM', () => stopping.abort())
for (const { chainId, url } of chains) console.log(`Chain ${chainId} listens at ${url}`)

try {
  while (!stopping.signal.aborted) {
    await Promise.all(chains.map((chain) => chain.rpc('eth_chainId')))
    await sleep(1000, undefined, { signal: stopping.signal }).catch(() => {})
  }
} finally {
  await Promise.all(chains.map((chain) => chain.stop()))
}
