import type { TransferAuthorization } from '@payment-intents/contract'
import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'

const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

/**
 * Calldata of USDC that moves what a payer has signed (EIP-3009), whoever sends it: the overload that takes the signature
 * as bytes, of an account with a private key (65 bytes) as well as one that its code checks (EIP-1271).
 */
export function transferCall(authorization: TransferAuthorization, signature: Hex): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const args = [
    from.toLowerCase() as Address,
    to.toLowerCase() as Address,
    BigInt(value),
    BigInt(validAfter),
    BigInt(validBefore),
    nonce as Hex,
    signature,
  ] as const
  return encodeFunctionData({ abi, functionName: 'transferWithAuthorization', args })
}
