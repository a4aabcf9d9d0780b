import type { Gasless } from '@payment-intents/core'

/** Where no relayer is configured. */
export const noGasless: Gasless = { isConfigured: () => false, isOffered: () => false }

/** The relayer of one chain, as operators see it. */
export type RelayerReport = {
  /** Why payments without gas are not offered now; null while they are. */
  readonly reason: string | null
  /** Wei; null before it was read. */
  readonly balance: bigint | null
  readonly spent: bigint | null
  /** How many more the balance pays for, at the price of gas that was read with it. */
  readonly remainingPayments: bigint | null
  readonly inFlight: number
  readonly oldestSeconds: number
  /** Authorizations that failed, and are looked at less often. */
  readonly quarantined: number
  readonly stuck: number
}
