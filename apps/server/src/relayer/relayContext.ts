import type { ChainFacts } from '@payment-intents/contract'
import type { Providers } from '../chain/providers/providers.ts'
import type { Metrics } from '../lib/metrics/metrics.ts'
import type { Db } from '../store/connection/connect.ts'
import type { DatabaseWatch } from '../store/connection/watchDatabase.ts'
import type { Signer } from './account/openSigner.ts'

/** The spending limits of a relayer, in wei. */
export type RelayLimits = {
  /** Per gas. While the price is above it, transactions wait. */
  readonly maxFeePerGas: bigint
  /** In 24 hours. */
  readonly dailySpend: bigint
  /** In 24 hours, for the payments of one merchant. */
  readonly merchantDailySpend: bigint
}

/** The dependencies of one chain's relayer. */
export type RelayContext = {
  readonly db: Db
  readonly database: Pick<DatabaseWatch, 'report'>
  readonly facts: ChainFacts
  readonly providers: Providers
  readonly signer: Signer
  readonly limits: RelayLimits
  /** Confirmations after which a transaction is final. */
  readonly confirmations: number
  readonly metrics?: Pick<Metrics, 'relayed' | 'relayerFailed'>
  readonly log: {
    info(fields: object, message: string): void
    warn(fields: object, message: string): void
  }
}
