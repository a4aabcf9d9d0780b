import { setTimeout as sleep } from 'node:timers/promises'
import { RpcError } from '../chain/rpcError.ts'
import type { Db } from '../db/connect.ts'
import {
  acquireRelayLease,
  holdRelayLease,
  type RelayLease,
  releaseRelayLease,
} from '../db/relay/leases.ts'
import { troubleOf } from '../db/trouble.ts'
import type { RelayContext } from './context.ts'
import { type Load, newMemory, noLoad } from './memory.ts'
import { runRelayerCycle } from './runRelayerCycle.ts'

export type RelayWorker = {
  /** Looks at once for what waits. */
  wake(): void
  /** What is under way, as this process knows it; nothing while another one submits. */
  load(): Load
  /** Stops at the end of the current cycle. */
  stop(): Promise<void>
}

/** Milliseconds between two looks into the database while nothing is under way. */
const idleMs = 2_000
const longestBackOffMs = 30_000
/** Well within the time that a lease lasts. */
const renewEveryMs = 1_500

/** Submits the authorizations of one chain until stopped, whenever this process holds the right to. */
export function relay(
  context: RelayContext & {
    /** Milliseconds between two looks at the chain while something is under way. */
    readonly pollMs: number
    /** In [0, 1). */
    readonly random: () => number
  },
): RelayWorker {
  const { db, database, facts, log, metrics, pollMs, random } = context
  const stopping = new AbortController()
  let woken = new AbortController()
  let load = noLoad
  const done = run()

  async function run(): Promise<void> {
    let failures = 0
    while (!stopping.signal.aborted) {
      let lease: RelayLease | null = null
      try {
        lease = await acquireRelayLease(db, facts.chainId)
        if (lease) {
          const fields = { chain_id: facts.chainId, relayer: context.signer.address }
          log.info({ ...fields, epoch: String(lease.epoch) }, 'submitting authorizations')
          await hold(lease, () => {
            failures = 0
          })
        }
      } catch (error) {
        failures += 1
        metrics?.relayerFailed(facts.chainId)
        // Trouble of the database is reported once for all.
        if (troubleOf(error) !== null) database.report(error)
        else if (Number.isInteger(Math.log2(failures))) {
          log.warn({ chain_id: facts.chainId, failures, err: error }, 'submitting failed')
        }
      }
      load = noLoad
      if (lease) await releaseRelayLease(db, lease).catch(() => {})
      const backOff = Math.min(longestBackOffMs, 250 * 2 ** failures) * (0.5 + random() / 2)
      await sleep(failures ? backOff : idleMs, undefined, { signal: stopping.signal }).catch(
        () => {},
      )
    }
  }

  /** @throws {RelayLeaseLost} and what the database throws */
  async function hold(lease: RelayLease, passed: () => void): Promise<void> {
    const over = new AbortController()
    const keeping = keep(db, lease, over.signal)
    const memory = newMemory()
    let failures = 0
    try {
      while (!stopping.signal.aborted) {
        woken = new AbortController()
        const result = await runRelayerCycle(context, lease, memory).catch((error) => {
          if (!(error instanceof RpcError)) throw error
          failures += 1
          metrics?.relayerFailed(facts.chainId)
          // The next cycle may use another provider: keep the lease.
          if (Number.isInteger(Math.log2(failures))) {
            const fields = { chain_id: facts.chainId, failures, reason: error.message }
            log.warn(fields, 'the chain cannot be asked; authorizations wait')
          }
          return 'failed' as const
        })
        if (result !== 'failed') {
          failures = 0
          passed()
        }
        load = memory.load
        if (result === 'more') continue
        const ms = result === 'idle' ? idleMs : pollMs
        const signal = AbortSignal.any([stopping.signal, woken.signal])
        await sleep(ms, undefined, { signal }).catch(() => {})
      }
    } finally {
      over.abort()
      // A renewal that came after the release would undo it.
      await keeping
    }
  }

  return {
    wake: () => woken.abort(),
    load: () => load,
    async stop() {
      stopping.abort()
      await done
    },
  }
}

async function keep(db: Db, lease: RelayLease, signal: AbortSignal): Promise<void> {
  for (;;) {
    await sleep(renewEveryMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    // A lost lease fails the cycle, too.
    await holdRelayLease(db.pool, lease).catch(() => {})
  }
}
