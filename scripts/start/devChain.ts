import { setTimeout as sleep } from 'node:timers/promises'
import { startDevChain } from '@payment-intents/testing'
import { accountWithoutGas } from './demoAccounts.ts'

/** The development chain as a process of its own: `devChain.ts <port> <state file>`, ended by SIGTERM. */
const [port, statePath] = process.argv.slice(2)
if (!port || !statePath) throw new Error('Usage: devChain.ts <port> <state file>')

const chain = await startDevChain({ port: Number(port), statePath, quiet: false })
await chain.rpc('anvil_setBalance', [accountWithoutGas, '0x0'])
const stopping = new AbortController()
process.once('SIGTERM', () => stopping.abort())
console.log(`Chain ${chain.chainId} answers at ${chain.url}`)

try {
  while (!stopping.signal.aborted) {
    await chain.rpc('eth_chainId')
    await sleep(1000, undefined, { signal: stopping.signal }).catch(() => {})
  }
} finally {
  await chain.stop()
}
