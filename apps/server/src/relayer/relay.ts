import { RpcError } from '../chain/rpc/rpcError.ts'
import { pause, whileLeased } from '../lib/whileLeased.ts'
import {
  acquireRelayLease,
  holdRelayLease,
  type RelayLease,
  releaseRelayLease,
} from '../store/relaying/leases.ts'
import { type Load, type Memory, newMemory, noLoad } from './cycle/relayerMemory.ts'
import { type CycleResult, runRelayerCycle } from './cycle/runRelayerCycle.ts'
import type { RelayContext } from './relayContext.ts'

export type RelayWorker = {
  /** Starts the next cycle at once. */
  wake(): void
  /** The load of the last cycle; empty while another process submits. */
  load(): Load
  /** Stops at the end of the current cycle. */
  stop(): Promise<void>
}

/** Milliseconds between two cycles while nothing is in flight. */
const idleMs = 2_000
/** Far less than the duration of a lease. */
const renewMs = 1_500

/** Submits the authorizations of one chain while this process holds the chain's lease, until it is stopped. */
export function relay(
  context: RelayContext & {
    /** Milliseconds between two cycles while a transaction is in flight. */
    readonly pollMs: number
    /** In [0, 1). */
    readonly random: () => number
  },
): RelayWorker {
  const { db, database, facts, log, pollMs, random } = context
  const stopping = new AbortController()
  let woken = new AbortController()
  let load = noLoad
  const loop = whileLeased<RelayLease>(
    {
      ...{ database, random, idleMs, renewMs },
      acquire: () => acquireRelayLease(db, facts.chainId),
      renew: (lease) => holdRelayLease(db.pool, lease),
      release: (lease) => releaseRelayLease(db, lease),
      async work(lease, succeeded) {
        const fields = { chain_id: facts.chainId, relayer: context.signer.address }
        log.info({ ...fields, epoch: String(lease.epoch) }, 'the relayer submits authorizations')
        try {
          await submit(lease, succeeded)
        } finally {
          load = noLoad
        }
      },
      failed(error, failures) {
        if (!isPowerOfTwo(failures)) return
        log.warn({ chain_id: facts.chainId, failures, err: error }, 'the relayer failed')
      },
    },
    stopping.signal,
  )

  /** @throws {RelayLeaseLost} and errors of the database */
  async function submit(lease: RelayLease, succeeded: () => void): Promise<void> {
    const memory = newMemory()
    let failures = 0
    while (!stopping.signal.aborted) {
      woken = new AbortController()
      const result = await runCycle(context, lease, memory, failures + 1)
      if (result === 'failed') failures += 1
      else {
        failures = 0
        succeeded()
      }
      load = memory.load
      if (result === 'more') continue
      const signal = AbortSignal.any([stopping.signal, woken.signal])
      await pause(result === 'idle' ? idleMs : pollMs, signal)
    }
  }

  return {
    wake: () => woken.abort(),
    load: () => load,
    async stop() {
      stopping.abort()
      await loop
    },
  }
}

/** Runs a cycle. A failure of the provider does not end the lease: the next cycle may use another provider. */
async function runCycle(
  context: RelayContext,
  lease: RelayLease,
  memory: Memory,
  attempt: number,
): Promise<CycleResult | 'failed'> {
  const { facts, log, metrics } = context
  try {
    return await runRelayerCycle(context, lease, memory)
  } catch (error) {
    metrics?.relayerFailed(facts.chainId)
    if (!(error instanceof RpcError)) throw error
    if (isPowerOfTwo(attempt)) {
      const fields = { chain_id: facts.chainId, failures: attempt, reason: error.message }
      log.warn(fields, 'no provider of the chain responds; authorizations wait')
    }
    return 'failed'
  }
}

/** Consecutive failures are logged at 1, 2, 4, 8 … */
function isPowerOfTwo(count: number): boolean {
  return Number.isInteger(Math.log2(count))
}
