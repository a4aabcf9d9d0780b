import { chainFactsOf, type GaslessOffer, usdcDomainVersion } from '@payment-intents/contract'
import { checksummed } from '../../lib/checksummed.ts'
import type { Intent } from '../intent.ts'
import { received } from '../payingTransfers.ts'

/**
 * The message that a payer without gas signs, however near its deadline is; null if a part was received.
 * The value is the price, not the payable amount: the nonce already names the intent.
 */
export function gaslessOffer(intent: Intent): GaslessOffer | null {
  const { status, expiresAt, reference } = intent
  if (status !== 'requires_payment' || received(intent) > 0n) return null
  return {
    fee_units: 0,
    domain: usdcDomain(intent.chainId),
    message: {
      to: checksummed(intent.wallet),
      value: String(intent.amount),
      validAfter: '0',
      validBefore: String(expiresAt),
      nonce: reference,
    },
  }
}

/** The EIP-712 domain of USDC on a chain. */
export function usdcDomain(chainId: number): GaslessOffer['domain'] {
  const { usdcDomainName: name, usdc } = chainFactsOf(chainId)
  return { name, version: usdcDomainVersion, chainId, verifyingContract: usdc }
}
