import type { Gasless } from '@payment-intents/core'

/** No chain has a relayer. */
export const noGasless: Gasless = { isConfigured: () => false, isOffered: () => false }

/** The relayer of one chain, for operators. */
export type RelayerReport = {
  /** Why payments without gas are not offered now; null while they are. */
  readonly reason: string | null
  /** Wei; null before it was read. */
  readonly balance: bigint | null
  readonly spent: bigint | null
  /** The number of payments that the balance covers, at the gas price of the same read. */
  readonly remainingPayments: bigint | null
  readonly inFlight: number
  readonly oldestSeconds: number
  /** Authorizations that were recorded before and are not on the chain, or that a cycle has backed off from. */
  readonly retrying: number
  /** Nonces that have several transactions, of which none is mined. */
  readonly pendingReplacements: number
}
