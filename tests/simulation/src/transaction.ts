import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'

/** One thing that a transaction does. The oracle classifies transfers by this alone. */
export type Part = {
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
  /** Of the token that payers mistake for USDC. */
  readonly lookalike: boolean
  /** Whether a transfer call stands in the calldata; without one, a contract moved the token by itself. */
  readonly called: boolean
  /** Whether the token moved: a call inside a bundle can fail, or be only talked about. */
  readonly moved: boolean
  /** The complete reference behind the call; null when there is none, or only a part of one. */
  readonly reference: Hex | null
  /** What stands behind the call's arguments, the reference included; hexadecimal without `0x`. */
  readonly tail: string
  /** What stands before the call; hexadecimal without `0x`. */
  readonly before: string
}

export type Transaction = {
  readonly hash: Hex
  /** Orders its sending among blocks and creations. */
  readonly moment: number
  readonly parts: readonly Part[]
  /** Logs of other contracts before each of the transaction's own. */
  readonly gap: number
}

/** The calldata: every call at whatever offset its surroundings put it. */
export function calldata(transaction: Transaction): Hex {
  const text = transaction.parts.map((part) => part.before + call(part)).join('')
  return `0x${text}`
}

function call({ called, to, amount, tail }: Part): string {
  if (!called) return tail
  const words = [to.slice(2), amount.toString(16)].map((word) => word.padStart(64, '0'))
  return `a9059cbb${words.join('')}${tail}`
}
