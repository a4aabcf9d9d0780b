import type { Gasless } from '@payment-intents/core'

/** No chain has a relayer. */
export const noGasless: Gasless = { isConfigured: () => false, isOffered: () => false }

/** The relayer of one chain, for operators. */
export type RelayerReport = {
  /** Why payments without gas are not offered now; null while they are. */
  readonly reason: string | null
  /** Wei; null before it was read. */
  readonly balance: bigint | null
  /** Wei in 24 hours, with pending transactions; null before it was read. */
  readonly spent: bigint | null
  /** The number of payments that the balance covers, at the gas price of the same read. */
  readonly remainingPayments: bigint | null
  /** Authorizations that wait for their first broadcast or whose transaction is pending. */
  readonly inFlight: number
  /** Since the oldest of them was stored, or the first transaction of its nonce was recorded. */
  readonly oldestSeconds: number
  /** Authorizations that were recorded before and are not on the chain, or that a cycle has backed off from. */
  readonly retrying: number
  /** Nonces that have several transactions, of which none is mined. */
  readonly pendingReplacements: number
}
