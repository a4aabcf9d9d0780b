import type { Chain, Mode } from '@payment-intents/contract'
import type {
  CheckAccountSignature,
  Gasless,
  InspectTransfer,
  Network,
  ReadTransaction,
  Service,
} from '@payment-intents/core'
import type { DevelopmentChains } from '../../chain/development/developmentChains.ts'
import type { ConcurrencyLimiter } from '../../lib/concurrencyLimiter.ts'
import type { Metrics } from '../../lib/metrics/metrics.ts'
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
  /** Bounds what each merchant holds at once. */
  readonly limiter: ConcurrencyLimiter
  /** The most connections to the database that one merchant, or all payers together, use. */
  readonly requestConnections: number
  readonly notifications: Notifications
  readonly serverKeys: ServerKeys
  /** The address at which merchants and pages reach this server. */
  readonly publicUrl: string
  /** `confirmations_required` of each chain that is followed in a mode. */
  readonly confirmations: (mode: Mode) => { readonly [chain in Chain]?: number }
  readonly gasless: Gasless
  readonly inspectTransfer: InspectTransfer
  readonly readTransaction: ReadTransaction
  readonly readBalance: Service['readBalance']
  readonly checkAccountSignature: CheckAccountSignature
  readonly network: (chainId: number) => Network | undefined
  /** null where there is none: then there are no test helpers either. */
  readonly developmentChains: DevelopmentChains | null
  /** The targets that webhooks may go to. */
  readonly webhookGuard: Guard
  /** Limits of resolves by one secret, and by one address. */
  readonly resolveLimit: Limit
  readonly addressLimit: Limit
  /** Limit of rejected API keys from one address. */
  readonly keyLimit: Limit
  /** Aborted when the server is about to close, so that long polls get a response. */
  readonly stopping: AbortSignal
  /** Unix milliseconds, by the clock of the first development chain where there is one. */
  readonly now: () => number
  /** The chains that this server follows. */
  readonly followed: readonly FollowedChain[]
  /** The time of a chain, as far as it is known. */
  readonly clock: (chainId: number) => ChainTime
}

export type FollowedChain = {
  readonly chainId: number
  /** This process's knowledge of the chain's RPC providers. */
  readonly providers: {
    /** Requests the heads that are due. */
    probe(): Promise<void>
    report(): readonly {
      readonly host: string
      readonly isReady: boolean
      readonly reason: string | null
      readonly failures: number
      readonly disagreements: number
    }[]
  }
  /** Absent where payers pay for the gas themselves. */
  readonly relayer?: { report(): RelayerReport } | undefined
}
