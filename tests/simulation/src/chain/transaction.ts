import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'

/** One thing that a transaction does. The oracle classifies transfers by this alone. */
export type Part = {
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
  /** A transfer of the token that payers mistake for USDC. */
  readonly lookalike: boolean
  /** Whether the calldata has a transfer call; without such a call, a contract moved the token by itself. */
  readonly called: boolean
  /** Whether the token moved: a call inside a bundle can fail, or be mere data. */
  readonly moved: boolean
  /** The account that authorized the calldata with the call; null if no account did, or it cannot be recognized. */
  readonly signer: Address | null
  /** The complete reference behind the call; null when there is none, or only a part of a reference. */
  readonly reference: Hex | null
  /** The nonce of the payer's authorization (EIP-3009) that moved the token. */
  readonly nonce: Hex | null
  /** Unix seconds: the token takes the authorization before, and each nonce of an account once. Absent: at any time. */
  readonly validBefore?: number
  /** Added by the transaction's submitter. */
  readonly isAttack?: true
  /** The bytes behind the call's arguments, the reference included; hexadecimal without `0x`. */
  readonly tail: string
  /** The bytes before the call; hexadecimal without `0x`. */
  readonly before: string
}

/** The envelope of a transaction's calls: a call of the token or another contract, or an envelope of wallets and relayers. */
export type Envelope =
  | 'token'
  | 'authorization'
  | 'contract'
  | 'entry_point'
  | 'safe'
  | 'delegation'

export type Transaction = {
  readonly hash: Hex
  /** Orders its sending among blocks and creations. */
  readonly moment: number
  readonly sender: Address
  /** The called contract; null if the transaction creates a contract. */
  readonly to: Address | null
  readonly envelope: Envelope
  readonly parts: readonly Part[]
  /** Logs of other contracts before each of the transaction's own. */
  readonly gap: number
}
