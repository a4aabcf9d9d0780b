/**
 * Circle's native USDC, EIP-55 checksummed, by EIP-155 chain id. In its own file, since the checkout bundles no other
 * chain facts.
 * @see https://developers.circle.com/stablecoins/usdc-contract-addresses
 */
export const usdc = {
  8453: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  84532: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  137: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  80002: '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582',
} as const satisfies Record<number, `0x${string}`>

export const usdcDecimals = 6

/**
 * The types of the message that an account signs to pay USDC without gas, in the order of the standard.
 *
 * @see https://eips.ethereum.org/EIPS/eip-3009
 */
export const authorizationTypes = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const
