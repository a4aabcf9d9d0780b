/** The gasless rail as this process can offer it. */
export type Gasless = {
  /** Whether a relayer is configured for the chain, be it out of money for the moment. */
  isConfigured(chainId: number): boolean
  /**
   * Whether an authorization for this payment would be submitted now: a relayer of the chain can pay for the gas, its
   * token's EIP-712 domain is the expected one, and no limit of gas spent is reached. Answered from memory.
   */
  isOffered(payment: { chainId: number; merchantId: string }): boolean
}

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
  readonly paymentsLeft: bigint | null
  readonly inFlight: number
  readonly oldestSeconds: number
  /** Authorizations that failed, and are looked at less often. */
  readonly quarantined: number
  readonly stuck: number
}
