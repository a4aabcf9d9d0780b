import type { Address } from '@payment-intents/contract'
import { isAddress, zeroAddress } from 'viem'
import { HttpError } from '../http/httpError.ts'
import type { WalletRole } from './store.ts'

/**
 * The destination of a request, in lower case.
 *
 * @throws {HttpError} `wallet_invalid` for a mixed-case address whose checksum (EIP-55) is wrong
 */
export function destinationOf(address: string): Address {
  const digits = address.slice(2)
  const isMixedCase = digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
  if (isMixedCase && !isAddress(address)) {
    throw new HttpError(
      'wallet_invalid',
      `The EIP-55 checksum of destination ${address} does not match: a character is wrong. Get the address from the payer again.`,
    )
  }
  return address.toLowerCase() as Address
}

/** @throws {HttpError} `wallet_invalid` if a refund to this address would be lost, or would pay the merchant */
export function refuseDestination(
  destination: Address,
  { token, role }: { readonly token: Address; readonly role: WalletRole },
): void {
  const fault = faultOf(destination, token, role)
  if (fault !== null) throw new HttpError('wallet_invalid', fault)
}

function faultOf(destination: Address, token: Address, role: WalletRole): string | null {
  if (destination === zeroAddress) return 'The zero address cannot receive a refund.'
  if (destination === token) return 'The destination is the USDC contract; a refund would be lost.'
  return role === 'foreign' ? null : 'The destination is a wallet of the merchant, not the payer’s.'
}
