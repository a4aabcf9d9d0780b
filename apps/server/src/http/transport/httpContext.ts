import type { Chain, Mode } from '@payment-intents/contract'
import type {
  CheckAccountSignature,
  Gasless,
  Network,
  ReadTransaction,
  Service,
  SimulateTransfer,
} from '@payment-intents/core'
import type { DevelopmentChains } from '../../chain/development/developmentChains.ts'
import type { ConcurrencyLimiter } from '../../lib/concurrencyLimiter.ts'
import type { Metrics } from '../../lib/metrics/metrics.ts'
import type { RecentActivity } from '../../lib/recentActivity.ts'
import type { RelayerReport } from '../../relayer/account/relayerReport.ts'
import type { ChainTime } from '../../store/clocks/timeOfChains.ts'
import type { Db } from '../../store/connection/connect.ts'
import type { DatabaseWatch } from '../../store/connection/watchDatabase.ts'
import type { ServerKeys } from '../../store/merchants/serverKeys.ts'
import type { Notifications } from '../../store/notifications.ts'
import type { Guard } from '../../webhooks/webhookGuard.ts'
import type { ApiKeyCache } from '../authentication/apiKeyCache.ts'
import type { Limit } from '../limits/rateLimit.ts'

/** The dependencies of the endpoints. */
export type HttpContext = {
  readonly db: Db
  readonly database: DatabaseWatch
  readonly apiKeyCache: ApiKeyCache
  readonly metrics: Metrics
  /** Metrics of all processes that share the port, for Prometheus. */
  readonly printMetrics: () => Promise<string>
  /** Limits the concurrent requests of each merchant. */
  readonly limiter: ConcurrencyLimiter
  /** Requests of payers: beside them, a merchant's creations take fewer slots. */
  readonly payerActivity: RecentActivity
  /** The maximum of database connections that a merchant uses, or that all payers together use. */
  readonly requestConnections: number
  readonly notifications: Notifications
  readonly serverKeys: ServerKeys
  /** The address at which merchants and pages reach this server. */
  readonly publicUrl: string
  /** `confirmations_required` of each chain that is followed in a mode. */
  readonly confirmations: (mode: Mode) => { readonly [chain in Chain]?: number }
  readonly gasless: Gasless
  readonly simulateTransfer: SimulateTransfer
  readonly readTransaction: ReadTransaction
  readonly readBalance: Service['readBalance']
  readonly checkAccountSignature: CheckAccountSignature
  readonly network: (chainId: number) => Network | undefined
  /** null: there are none, and no test helpers either. */
  readonly developmentChains: DevelopmentChains | null
  /** The targets that webhooks may go to. */
  readonly webhookGuard: Guard
  /** Limit of resolves with one secret. */
  readonly resolveLimit: Limit
  /** Limit of payers' requests from one address. */
  readonly addressLimit: Limit
  /** Limit of rejected API keys from one address. */
  readonly keyLimit: Limit
  /** Aborted when the server is about to close, so that held requests get a response. */
  readonly stopping: AbortSignal
  /** Unix milliseconds; with development chains, by the clock of the first. */
  readonly now: () => number
  /** The chains that this server follows. */
  readonly followed: readonly FollowedChain[]
  /** The last known time of a chain. */
  readonly clock: (chainId: number) => ChainTime
}

export type FollowedChain = {
  readonly chainId: number
  /** The state of the chain's RPC providers that this process knows. */
  readonly providers: {
    /** Requests the heads of the providers that are due for it. */
    probe(): Promise<void>
    report(): readonly {
      readonly host: string
      readonly isReady: boolean
      readonly reason: string | null
      readonly failures: number
      readonly disagreements: number
    }[]
  }
  /** undefined: payers pay for the gas themselves. */
  readonly relayer?: { report(): RelayerReport } | undefined
}
