import { type DevChain, startDevChain } from '@payment-intents/testing'
import { ofFile } from '../database/fixtures.ts'
import { startTestServer, type TestServer } from '../server/testServer.ts'

/** A chain and a server with a database. The tests of a file share them, since they cost more than most tests. */
export type ChainServer = {
  readonly chain: DevChain
  readonly server: TestServer
  /** Resets the chain to its first blocks and to the machine's time, and deletes all rows. */
  reset(): Promise<void>
  close(): Promise<void>
}

type ServerOptions = Parameters<typeof startTestServer>[0] & {
  /** Changes the chain before the first test. */
  prepare?: (chain: DevChain) => Promise<void>
}

/** A chain and server for all tests of a file. */
export function chainServerOfFile(options?: Parameters<typeof startChainServer>[0]): ChainServer {
  return ofFile(
    () => startChainServer(options),
    (shared) => shared.close(),
  )
}

/** A development chain for all tests of a file. */
export function chainOfFile(): DevChain {
  return ofFile(
    () => startDevChain({ blockTime: 0 }),
    (chain) => chain.stop(),
  )
}

/** Starts a development chain and a server that does not follow it by itself. */
export async function startChainServer({
  prepare,
  ...options
}: ServerOptions = {}): Promise<ChainServer> {
  const [chain, server] = await Promise.all([
    startDevChain({ blockTime: 0 }),
    startTestServer(options),
  ])
  await prepare?.(chain)
  const { baseFeePerGas } = await chain.rpc<{ baseFeePerGas: string }>('eth_getBlockByNumber', [
    'pending',
    false,
  ])
  let first = await chain.rpc<string>('evm_snapshot')
  return {
    ...{ chain, server },
    async reset() {
      await Promise.all([server.clear(), revert()])
    },
    async close() {
      await server.close()
      await chain.stop()
    },
  }

  async function revert(): Promise<void> {
    if (!(await chain.rpc<boolean>('evm_revert', [first])))
      throw new Error('The chain kept nothing.')
    await chain.rpc('anvil_removeBlockTimestampInterval')
    // The snapshot also restored the clock.
    await chain.rpc('anvil_setTime', [Math.floor(Date.now() / 1_000)])
    // The node drops the state of old blocks, but a reorg of all blocks of a test needs the state below them.
    await chain.rpc('evm_mine')
    await chain.rpc('anvil_setNextBlockBaseFeePerGas', [baseFeePerGas])
    // A snapshot can only be restored once.
    first = await chain.rpc('evm_snapshot')
  }
}
