import { isHex } from '../lib/isHex.ts'
import type { Authorization } from './authorization.ts'

/** Four-byte selectors of the token's functions, pinned against their signatures in the tests. */
export const selectors = {
  transfer: '0xa9059cbb',
  balanceOf: '0x70a08231',
  paused: '0x5c975abb',
  isBlacklisted: '0xfe575a87',
  authorizationState: '0xe94a0102',
} as const

/** The payment that a wallet receives to send or sign. */
export type Order = {
  payer: string
  /** In hexadecimal. */
  chainId: string
  token: string
  data: string
  /** 32 bytes, hexadecimal, `0x` first. */
  reference: string
  amount: bigint
  method: 'authorization' | 'transaction' | 'batch'
  /** The authorization for the wallet to sign; `null` for a transfer. */
  authorization: Authorization | null
  /** The payer's approximate network fee, in wei: nothing for a signature of an account without code; `null` if unknown. */
  fee: bigint | null
}

type Transfer = {
  to: string
  /** In the token's smallest units. */
  amount: bigint
  /** 32 bytes, hexadecimal, `0x` first. */
  reference: string
}

/**
 * Calldata of `transfer(to, amount)` followed by the payment reference. The token ignores the reference; a
 * chain reader identifies the payment by it.
 */
export function encodeTransfer({ to, amount, reference }: Transfer): string {
  return `${selectors.transfer}${word(to)}${word(amount.toString(16))}${word(reference)}`
}

/** A hexadecimal value as one 32-byte word of calldata, without `0x`. */
export function word(hex: string): string {
  return hex.replace(/^0x/, '').toLowerCase().padStart(64, '0')
}

/** Whether a wallet's response is the hash of a transaction. */
export function isHash(value: unknown): value is string {
  return isHex(value, 64)
}
