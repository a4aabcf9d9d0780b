import type { Chain, Mode } from '@payment-intents/contract'

/** The terms set at creation; they never change. */
type LinkTerms = {
  readonly id: string
  readonly merchantId: string
  readonly mode: Mode
  /** null: the payer names the amount, within `minAmount` and `maxAmount`. */
  readonly amount: bigint | null
  readonly minAmount: bigint | null
  readonly maxAmount: bigint | null
  /** At least one chain. */
  readonly chains: readonly Chain[]
  /** Unix milliseconds. */
  readonly createdAt: number
}

/** The fields that the merchant may change. */
export type LinkSettings = {
  readonly active: boolean
  readonly description: string
  /** JSON text exactly as the merchant sent it. */
  readonly metadata: string
  readonly maxPayments: number | null
  /** Unix milliseconds. */
  readonly expiresAt: number | null
  readonly returnUrl: string | null
  /** The hash that names the picture. */
  readonly picture: string | null
}

export type PaymentLink = LinkTerms &
  LinkSettings & {
    /** How many of `maxPayments` are used. */
    readonly paymentsCount: number
    /** The chains on which only other merchants have proven the merchant's wallet: nobody can pay there. */
    readonly outrankedChains: readonly Chain[]
  }
