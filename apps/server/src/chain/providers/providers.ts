import type { Seen } from '../../store/clocks/timeOfChains.ts'
import type { Connection } from '../rpc/connection.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { RpcError } from '../rpc/rpcError.ts'
import { depthBeside, isFrozen } from './headProgress.ts'
import { type Candidate, createHealthChecks, newProvider, type Provider } from './healthChecks.ts'
import { createHostHeads, type HostHeads } from './hostHeads.ts'
import * as health from './providerHealth.ts'
import { readLogs } from './readLogs.ts'
import { createSecondProvider, type SecondProvider, type Standstill } from './secondProvider.ts'
import { chainClock } from './skew.ts'

/** The provider that one reading asks. Two of them could contradict each other within it. */
export type Reader = {
  readonly host: string
  /** Keeps the provider's health while it is used. */
  readonly rpc: Rpc
  /** Blocks that one log query may cover. */
  readonly span: number
  /** Another host's word; null where only one host is configured. */
  readonly secondProvider: SecondProvider | null
  /** It did not confirm a payment that the second provider confirms. */
  disagreed(): void
  /** A whole reading went well. */
  worked(): void
  /** The reading failed: `range` is asked again at once in smaller parts, all else lets the provider rest. */
  failed(error: unknown): void
}

export type Providers = {
  /** Checks all of them, and returns why those that answered within `patienceMs` are refused. */
  start(patienceMs: number): Promise<{ host: string; reason: string }[]>
  /** The first that is ready, in the order of configuration; null when none is. */
  choose(): Reader | null
  /** Checks who has rested enough, and asks the others for their heads now and then. */
  checkHealth(): Promise<void>
  /**
   * If the first block is old, requests more until one shows whether the chain stands still or the clocks are fast, or
   * `patienceMs` are over.
   */
  settleClock(patienceMs: number): Promise<void>
  /** Asks each for its head that was not asked for a while, or has rested enough, as an operator's probe wants to know. */
  probe(): Promise<void>
  readonly heads: HostHeads
  /** What is known of each, in the order of configuration. */
  report(): ProviderReport[]
  /** How far the chain's clock is ahead of the database's, as the blocks of the last minute showed; null: none was seen. */
  clock(): Seen | null
  readonly connections: readonly Connection[]
  close(): void
}

type ProviderReport = {
  readonly host: string
  readonly isReady: boolean
  /** Why it is not asked; null while it is, or has not answered yet. */
  readonly reason: string | null
  readonly head: bigint | null
  /** Since this process started. */
  readonly failures: number
  /** Since this process started: answers about a payment, as the second provider, that contradicted the first. */
  readonly disagreements: number
}

export type ProvidersOptions = {
  readonly chainId: number
  readonly candidates: readonly Candidate[]
  /** Milliseconds by a clock that nobody sets. */
  readonly now: () => number
  /** The database's clock, Unix milliseconds. */
  readonly databaseNow: () => number
  /** In [0, 1). */
  readonly random: () => number
  readonly log: { warn(fields: object, message: string): void }
}

/** A standby's head is asked this often, so that a reader that has fallen behind is noticed. */
const standbyMs = 15_000
/** Of one that nobody reads: an operator's probes come every few seconds, and each question is paid for. */
const probeMs = 30_000

/** A block comes every other second. A clock that is fast by less gives a payer as much more time. */
const lookEveryMs = 500
const oldMs = 60_000

/** Several URLs of one chain: which of them to ask, which to leave alone, and who confirms what another said. */
export function createProviders(options: ProvidersOptions): Providers {
  const { chainId, now, databaseNow, random, log } = options
  const providers = options.candidates.map(newProvider)
  const heads = createHostHeads(
    providers.map(({ host }) => host),
    now,
  )
  /** Whether payments wait for a second provider, which was logged then. */
  let waits = false
  const { fail, disagree, check, probe, observe, head } = createHealthChecks({
    ...{ chainId, providers, heads, now, random, log },
  })

  function clock() {
    const skews = providers.flatMap(({ skew }) => skew ?? [])
    const at = now()
    return chainClock(skews, at, databaseNow() - at)
  }

  /** Of another host; null where none is configured. */
  function secondProviderFor(reader: Provider): SecondProvider | null {
    const others = providers.filter(({ host }) => host !== reader.host)
    if (others.length === 0) return null
    const asked = (isReady: boolean) => {
      const hosts = others.map(({ host }) => host)
      const message = 'payments wait for a second provider to confirm them'
      if (!isReady && !waits) log.warn({ chain_id: chainId, hosts }, message)
      waits = !isReady
    }
    const rpcOf = (provider: Provider): Rpc => ({
      ...provider.rpc,
      header: (block) => (block === 'latest' ? observe(provider) : provider.rpc.header(block)),
      transfers: (range) => readLogs(provider, range),
    })
    const standstillOf = ({ host }: Provider): Standstill | null => {
      const [its, own] = [heads.of(host), heads.of(reader.host)]
      if (!its || !own || !isFrozen(its, own, now())) return null
      return { head: its.highest, depth: (head) => depthBeside(its, head, now()) }
    }
    return createSecondProvider(others, {
      ...{ rpcOf, standstillOf, asked, failed: fail, disagreed: disagree },
    })
  }

  function toReader(provider: Provider): Reader {
    const { blocks } = provider.health.blockRange
    return {
      host: provider.host,
      span: blocks,
      secondProvider: secondProviderFor(provider),
      rpc: {
        ...provider.rpc,
        header: (block) => (block === 'latest' ? head(provider) : provider.rpc.header(block)),
        transfers: (range) => readLogs(provider, range),
      },
      disagreed: () => disagree(provider),
      worked() {
        provider.health = health.worked(provider.health)
      },
      failed(error) {
        const smaller = provider.health.blockRange.blocks < blocks
        if (error instanceof RpcError && error.fault === 'range' && smaller) return
        fail(provider, error)
      },
    }
  }

  return {
    async start(patienceMs) {
      const refused: { host: string; reason: string }[] = []
      const checks = providers.map(async (provider) => {
        const reason = await check(provider)
        if (reason !== null) refused.push({ host: provider.host, reason })
      })
      await Promise.race([Promise.all(checks), after(patienceMs)])
      return refused
    },
    choose() {
      const provider = providers.find(({ health: { state } }) => state === 'ready')
      return provider ? toReader(provider) : null
    },
    async checkHealth() {
      const reading = providers.find(({ health: { state } }) => state === 'ready')
      const due = providers.filter(({ busy, health: { state, restUntil, headAt } }, index) => {
        if (busy) return false
        if (state === 'unchecked') return restUntil <= now()
        return providers[index] !== reading && now() - headAt >= standbyMs
      })
      await Promise.all(due.map(check))
    },
    async settleClock(patienceMs) {
      const giveUpAt = now() + patienceMs
      const isOpen = () => {
        const seen = clock()
        return seen !== null && seen.aheadMs === null && seen.leastMs < -oldMs
      }
      while (isOpen() && now() < giveUpAt) {
        await after(lookEveryMs)
        await Promise.all(providers.filter(({ health: { state } }) => state === 'ready').map(probe))
      }
    },
    async probe() {
      const due = providers.filter(({ busy, health: { state, restUntil, headAt } }) => {
        if (busy) return false
        return state === 'unchecked' ? restUntil <= now() : now() - headAt >= probeMs
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
