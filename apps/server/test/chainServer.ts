import { type DevChain, startDevChain } from '@payment-intents/testing'
import { ofFile } from './fixtures.ts'
import { startTestServer, type TestServer } from './testServer.ts'

/** What the tests of a file share, since a process and a database cost more than most tests. */
export type ChainServer = {
  readonly chain: DevChain
  readonly server: TestServer
  /** The chain has its first blocks and its own time again, and the database no rows. */
  reset(): Promise<void>
  close(): Promise<void>
}

/** One for all tests of a file. */
export function chainServerOfFile(options?: Parameters<typeof startChainServer>[0]): ChainServer {
  return ofFile(
    () => startChainServer(options),
    (shared) => shared.close(),
  )
}

/** A development chain, with its first blocks as the tests of a file begin. */
export function chainOfFile(): DevChain {
  return ofFile(
    async () => {
      const { chain, revert } = await chainOfWorker()
      await revert()
      return chain
    },
    () => {},
  )
}

/** A development chain and a server beside it, which does not follow it by itself. */
export async function startChainServer(
  options: Parameters<typeof startTestServer>[0] = {},
): Promise<ChainServer> {
  const [{ chain, revert }, server] = await Promise.all([chainOfWorker(), startTestServer(options)])
  await revert()
  return {
    ...{ chain, server },
    async reset() {
      await Promise.all([server.clear(), revert()])
    },
    close: () => server.close(),
  }
}

type WorkerChain = { readonly chain: DevChain; revert(): Promise<void> }
let started: Promise<WorkerChain> | undefined

/** One for all files of a worker, and ended with it: many files take less than its start. */
function chainOfWorker(): Promise<WorkerChain> {
  started ??= startWorkerChain()
  return started
}

async function startWorkerChain(): Promise<WorkerChain> {
  const chain = await startDevChain({ blockTime: 0 })
  let first = await chain.rpc('evm_snapshot')
  return {
    chain,
    async revert() {
      if (!(await chain.rpc<boolean>('evm_revert', [first])))
        throw new Error('The chain kept nothing.')
      await chain.rpc('anvil_removeBlockTimestampInterval')
      // The clock went back, too.
      await chain.rpc('anvil_setTime', [Math.floor(Date.now() / 1_000)])
      // A snapshot can be gone back to once.
      first = await chain.rpc('evm_snapshot')
    },
  }
}
