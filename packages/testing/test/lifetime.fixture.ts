/** A process that starts a chain, prints its URL, and runs until it is killed. */
import { spawnAnvil } from '../src/devChain/spawnAnvil.ts'

const [port = '', path = ''] = process.argv.slice(2)
spawnAnvil({
  args: ['--port', port, '--chain-id', '84532', '--quiet', '--dump-state', path],
  url: `http://127.0.0.1:${port}`,
  ...{ blockTime: 0, output: 'ignore' },
})
setInterval(() => {}, 60_000)
