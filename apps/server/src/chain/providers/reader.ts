import type { Rpc } from '../rpc/rpc.ts'
import { RpcError } from '../rpc/rpcError.ts'
import { depthDuringStandstill, isFrozen } from './headProgress.ts'
import type { HealthChecks, Provider } from './healthChecks.ts'
import type { HostHeads } from './hostHeads.ts'
import * as health from './providerHealth.ts'
import { readLogs } from './readLogs.ts'
import { createSecondProvider, type SecondProvider, type Standstill } from './secondProvider.ts'

/** The provider that a poll reads. A poll uses a single provider, since two could contradict each other. */
export type Reader = {
  readonly host: string
  /** Calls that update the provider's health. */
  readonly rpc: Rpc
  /** Blocks that one log query may cover. */
  readonly blocksPerQuery: number
  /** A provider on another host; null: only one host is configured. */
  readonly secondProvider: SecondProvider | null
  /** It did not confirm a payment that the second provider confirms. */
  disagreed(): void
  /** The poll succeeded. */
  worked(): void
  /**
   * The poll failed. After a `range` failure the next poll requests smaller ranges at once; after any other failure,
   * the provider backs off.
   */
  failed(error: unknown): void
}

/** The providers of a chain, and the state by which one is chosen. */
export type ReaderContext = {
  readonly chainId: number
  readonly providers: readonly Provider[]
  readonly heads: HostHeads
  readonly checks: HealthChecks
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly log: { warn(fields: object, message: string): void }
  /** Whether payments wait for a second provider, so that only the start of the wait is logged. */
  isWaiting: boolean
}

export function createReader(context: ReaderContext, provider: Provider): Reader {
  const { head, fail, disagree } = context.checks
  const { blocks } = provider.health.blockRange
  return {
    host: provider.host,
    blocksPerQuery: blocks,
    secondProvider: secondProviderFor(context, provider),
    rpc: rpcOf(provider, head),
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

/** The second provider; null: only one host is configured. */
function secondProviderFor(context: ReaderContext, reader: Provider): SecondProvider | null {
  const { chainId, log, checks } = context
  const otherProviders = context.providers.filter(({ host }) => host !== reader.host)
  if (otherProviders.length === 0) return null
  return createSecondProvider(otherProviders, {
    rpcOf: (provider) => rpcOf(provider, checks.observe),
    standstillOf: ({ host }) => standstillOf(context, reader.host, host),
    reportReady(isReady) {
      const hosts = otherProviders.map(({ host }) => host)
      const message = 'payments wait for a second provider to confirm them'
      if (!isReady && !context.isWaiting) log.warn({ chain_id: chainId, hosts }, message)
      context.isWaiting = !isReady
    },
    failed: checks.fail,
    disagreed: checks.disagree,
  })
}

function standstillOf(
  { heads, now }: ReaderContext,
  readerHost: string,
  host: string,
): Standstill | null {
  const [hostHead, readerHead] = [heads.of(host), heads.of(readerHost)]
  if (!hostHead || !readerHead || !isFrozen(hostHead, readerHead, now())) return null
  return { head: hostHead.highest, depth: (head) => depthDuringStandstill(hostHead, head, now()) }
}

function rpcOf(provider: Provider, latest: HealthChecks['head']): Rpc {
  return {
    ...provider.rpc,
    header: (block) => (block === 'latest' ? latest(provider) : provider.rpc.header(block)),
    transfers: (range) => readLogs(provider, range),
  }
}
