import { pause } from '../lib/pause.ts'
import { freePort, isFree } from './freePort.ts'
import { type Anvil, spawnAnvil } from './spawnAnvil.ts'
import { newChain, stateArguments } from './stateFile.ts'

export type AnvilOptions = {
  chainId: number
  port: number
  /** Seconds between blocks while something happens; 0 mines a block for each transaction instead. */
  blockTime: number
  statePath: string | undefined
  output: 'inherit' | 'ignore'
}

/**
 * Blocks whose state anvil keeps: how far back it can reorganise the chain, 64 blocks and some more, or execute
 * `eth_call`. Each state has a copy of all block hashes: their number times that of the blocks is most of its memory. A
 * chain that makes blocks by itself runs for days; the chain of a test goes back to snapshots.
 */
const historyBlocks = { timed: 72, manual: 256 }
/** Far longer than a start; an anvil that cannot start exits and is reported at once. */
const startTimeoutMs = 180_000
/** An anvil whose parent was killed keeps its port while it saves its state. */
const portPatienceMs = 5_000

/** Starts anvil and returns once it responds. */
export async function launchAnvil(
  options: AnvilOptions,
): Promise<{ url: string } & Pick<Anvil, 'stop'>> {
  const port = options.port === 0 ? await freePort() : await claim(options.port)
  const url = `http://127.0.0.1:${port}`
  const { blockTime, output } = options
  const anvil = spawnAnvil({ args: anvilArguments(options, port), url, blockTime, output })
  const ended = anvil.ended.then((stderr) => ({ stderr }))
  const outcome = await Promise.race([ended, untilListening(url)])
  if (outcome === 'ready') return { url, stop: anvil.stop }
  if (outcome === 'timeout') {
    await anvil.stop()
    throw new Error(`anvil did not respond on ${url} within ${startTimeoutMs / 1000} seconds.`)
  }
  if (outcome.stderr.includes('already in use')) throw portInUseError(port)
  const about = options.statePath
    ? ` If it cannot read ${options.statePath}, delete that file to begin a new chain.`
    : ''
  throw new Error(`anvil ended before it responded.${about}\n${outcome.stderr}`)
}

function anvilArguments(options: AnvilOptions, port: number): string[] {
  const args = [
    ...['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(options.chainId)],
    ...['--prune-history', String(historyBlocks[options.blockTime > 0 ? 'timed' : 'manual'])],
  ]
  if (options.blockTime > 0) args.push('--block-time', String(options.blockTime))
  if (options.output === 'ignore') args.push('--quiet')
  args.push(...(options.statePath === undefined ? newChain() : stateArguments(options.statePath)))
  return args
}

async function claim(port: number): Promise<number> {
  const deadline = Date.now() + portPatienceMs
  while (!(await isFree(port))) {
    if (Date.now() > deadline) throw portInUseError(port)
    await pause(50)
  }
  return port
}

function portInUseError(port: number): Error {
  return new Error(
    `Port ${port} is taken by another program. Stop that program or choose another port for the development chain.`,
  )
}

async function untilListening(url: string): Promise<'ready' | 'timeout'> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const headers = { 'content-type': 'application/json' }
  const deadline = Date.now() + startTimeoutMs
  while (Date.now() < deadline) {
    const response = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined)
    if (response?.ok) return 'ready'
    await pause(10)
  }
  return 'timeout'
}
