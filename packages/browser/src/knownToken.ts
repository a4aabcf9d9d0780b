import { usdc, usdcDecimals } from '@payment-intents/contract/usdc'
import type { Intent } from './parseIntent.ts'

/**
 * Whether an intent is over USDC on a chain where its address is known here: the service does not decide which
 * contract a wallet is asked to call.
 */
export function isKnownToken({ chain_id, token_address, decimals }: Intent): boolean {
  return Object.entries(usdc).some(
    ([chainId, address]) =>
      Number(chainId) === chain_id &&
      address.toLowerCase() === token_address.toLowerCase() &&
      decimals === usdcDecimals,
  )
}
