import type { ObservedClock } from '../../store/clocks/timeOfChains.ts'
import type { Connection } from '../rpc/rpcConnection.ts'
import { type Candidate, createHealthChecks, newProvider } from './healthChecks.ts'
import { createHostHeads, type HostHeads } from './hostHeads.ts'
import { createReader, type Reader, type ReaderContext } from './reader.ts'
import { chainClock } from './skew.ts'

export type Providers = {
  /** Checks all providers. Returns the reasons of those that respond within `patienceMs` and are refused. */
  start(patienceMs: number): Promise<{ host: string; reason: string }[]>
  /** Chooses the first ready provider in the order of the configuration; null: none is ready. */
  choose(): Reader | null
  /** Checks the providers whose backoff is over, and requests the heads of standbys now and then. */
  checkHealth(): Promise<void>
  /**
   * If the first block is old, requests further heads until one shows whether the chain stands still or the clocks are fast, for at most
   * `patienceMs`.
   */
  settleClock(patienceMs: number): Promise<void>
  /** Requests the head of each provider that is due, or whose backoff is over, for an operator's probe. */
  probe(): Promise<void>
  readonly heads: HostHeads
  /** The health of each, in the order of configuration. */
  report(): ProviderReport[]
  /** How far the chain's clock is ahead of the database's, by the blocks of the last minute; null without blocks. */
  clock(): ObservedClock | null
  readonly connections: readonly Connection[]
  close(): void
}

type ProviderReport = {
  readonly host: string
  readonly isReady: boolean
  /** Why it is not used; null while it is used, or has not responded yet. */
  readonly reason: string | null
  readonly head: bigint | null
  /** Since this process started. */
  readonly failures: number
  /** Since this process started: its responses as second provider that contradicted the first. */
  readonly disagreements: number
}

export type ProvidersOptions = {
  readonly chainId: number
  readonly candidates: readonly Candidate[]
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** The database's clock, Unix milliseconds. */
  readonly databaseNow: () => number
  /** In [0, 1). */
  readonly random: () => number
  readonly log: { warn(fields: object, message: string): void }
}

/** The interval of requests for a standby's head, which show whether the reader has fallen behind. */
const standbyMs = 15_000
/** The same without a follower: an operator's probes come every few seconds, and each request costs money. */
const probeMs = 30_000

/** A block comes every other second. A smaller lead of the clock gives a payer as much more time. */
const pollEveryMs = 500
const oldMs = 60_000

/** The providers of a chain: chooses the reader and the second provider, and backs off from those that fail. */
export function createProviders(options: ProvidersOptions): Providers {
  const { chainId, now, databaseNow, random, log } = options
  const providers = options.candidates.map(newProvider)
  const heads = createHostHeads(
    providers.map(({ host }) => host),
    now,
  )
  const checks = createHealthChecks({ chainId, providers, heads, now, random, log })
  const { check, probe } = checks
  const context: ReaderContext = { chainId, providers, heads, checks, now, log, isWaiting: false }

  function clock() {
    const skews = providers.flatMap(({ skew }) => skew ?? [])
    const at = now()
    return chainClock(skews, at, databaseNow() - at)
  }

  return {
    async start(patienceMs) {
      const refused: { host: string; reason: string }[] = []
      const checked = providers.map(async (provider) => {
        const reason = await check(provider)
        if (reason !== null) refused.push({ host: provider.host, reason })
      })
      await Promise.race([Promise.all(checked), after(patienceMs)])
      return refused
    },
    choose() {
      const provider = providers.find(({ health: { state } }) => state === 'ready')
      return provider ? createReader(context, provider) : null
    },
    async checkHealth() {
      const ready = providers.find(({ health: { state } }) => state === 'ready')
      const due = providers.filter(({ busy, health: { state, backoffUntil, headAt } }, index) => {
        if (busy) return false
        if (state === 'unchecked') return backoffUntil <= now()
        return providers[index] !== ready && now() - headAt >= standbyMs
      })
      await Promise.all(due.map(check))
    },
    async settleClock(patienceMs) {
      const giveUpAt = now() + patienceMs
      const isOpen = () => {
        const measured = clock()
        return measured !== null && measured.aheadMs === null && measured.minimumMs < -oldMs
      }
      while (isOpen() && now() < giveUpAt) {
        await after(pollEveryMs)
        await Promise.all(providers.filter(({ health: { state } }) => state === 'ready').map(probe))
      }
    },
    async probe() {
      const due = providers.filter(({ busy, health: { state, backoffUntil, headAt } }) => {
        if (busy) return false
        return state === 'unchecked' ? backoffUntil <= now() : now() - headAt >= probeMs
      })
      await Promise.all(due.map(probe))
    },
    heads,
    report() {
      return providers.map(({ host, reason, failures, disagreements, health: { state, head } }) => {
        return { host, isReady: state === 'ready', reason, head, failures, disagreements }
      })
    },
    clock,
    connections: providers.map(({ connection }) => connection),
    close() {
      for (const { connection } of providers) connection.close()
    },
  }
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
}
