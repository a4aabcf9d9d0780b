import type { ChainFacts } from '@payment-intents/contract'
import type { Gasless } from '@payment-intents/core'
import type { Providers } from '../chain/providers/providers.ts'
import type { RelayerConfig } from '../config/relayer.ts'
import { type Availability, watchAvailability } from './account/availability.ts'
import { openSigner } from './account/openSigner.ts'
import type { RelayerReport } from './account/relayerReport.ts'
import { noLoad } from './cycle/relayerMemory.ts'
import { type RelayWorker, relay } from './relay.ts'
import type { RelayContext } from './relayContext.ts'

export type Relayer = {
  readonly chainId: number
  /** Reads again whether payments without gas are offered. */
  refresh(): Promise<void>
  report(): RelayerReport
  /** Starts to submit. */
  start(): void
  wake(): void
  stop(): Promise<void>
}

type Chain = {
  readonly facts: ChainFacts
  readonly providers: Providers
  readonly confirmationsRequired: number
  readonly relayer: RelayerConfig | null
}

type Options = Pick<RelayContext, 'db' | 'database' | 'metrics' | 'log'> & {
  /** Milliseconds between two cycles while a transaction is in flight. */
  readonly pollMs: number
  /** Unix milliseconds. */
  readonly now: () => number
  /** In [0, 1). */
  readonly random: () => number
}

/** Opens a relayer for each chain that has a key. It submits nothing before its `start`. Logs addresses, never keys. */
export function openRelayers(
  chains: readonly Chain[],
  options: Options,
): { relayers: readonly Relayer[]; gasless: Gasless } {
  const opened = chains.flatMap((chain) =>
    chain.relayer ? [openRelayer(chain, chain.relayer, options)] : [],
  )
  const byChain = new Map(opened.map((item) => [item.chainId, item]))
  return {
    relayers: opened,
    gasless: {
      isConfigured: (chainId) => byChain.has(chainId),
      isOffered: ({ chainId, merchantId }) => byChain.get(chainId)?.isOffered(merchantId) ?? false,
    },
  }
}

function openRelayer(
  { facts, providers, confirmationsRequired: confirmations }: Chain,
  { key, ...limits }: RelayerConfig,
  options: Options,
): Relayer & Pick<Availability, 'isOffered'> {
  const { now, log } = options
  const signer = openSigner(key)
  const context = { ...options, facts, providers, confirmations, signer, limits }
  const availability = watchAvailability(context, now)
  let worker: RelayWorker | null = null
  log.info({ chain_id: facts.chainId, relayer: signer.address }, 'gas is paid by this account')
  return {
    chainId: facts.chainId,
    isOffered: availability.isOffered,
    refresh: availability.refresh,
    start() {
      worker = relay(context)
    },
    wake: () => worker?.wake(),
    stop: async () => worker?.stop(),
    report() {
      const { inFlight, oldestAt, retrying, pendingReplacements } = worker?.load() ?? noLoad
      return {
        reason: availability.reason(),
        balance: availability.balance(),
        remainingPayments: availability.remainingPayments(),
        spent: availability.spent(),
        inFlight,
        oldestSeconds: oldestAt === null ? 0 : Math.max(0, (now() - oldestAt) / 1_000),
        retrying,
        pendingReplacements,
      }
    },
  }
}
