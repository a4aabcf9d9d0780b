import { usdc, usdcDecimals } from '@payment-intents/contract/usdc'
import type { Intent } from './parseIntent.ts'

/**
 * Whether an intent is in USDC at a known address: the service does not choose the contract that a wallet
 * calls.
 */
export function isUsdc({ chain_id, token_address, decimals }: Intent): boolean {
  const usdcAddress = (usdc as Partial<Record<number, string>>)[chain_id]
  return usdcAddress?.toLowerCase() === token_address.toLowerCase() && decimals === usdcDecimals
}
