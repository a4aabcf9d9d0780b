import type { DevAccount, DevChain } from '@payment-intents/testing'
import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

/** Calldata of the token for a transfer that an account has signed (EIP-3009): anyone can submit it. */
export async function authorization(
  { chainId, token }: Pick<DevChain, 'chainId' | 'token'>,
  payer: DevAccount,
  { to, amount, nonce }: { to: Address; amount: number; nonce: Hex },
): Promise<Hex> {
  const message = {
    ...{ from: payer.address, to, value: BigInt(amount), nonce },
    ...{ validAfter: 0n, validBefore: 2n ** 40n },
  }
  const signature = await privateKeyToAccount(payer.privateKey).signTypedData({
    domain: { name: 'USDC', version: '2', chainId, verifyingContract: token },
    primaryType: 'TransferWithAuthorization',
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    message,
  })
  const { from, value, validAfter, validBefore } = message
  const args = [from, to, value, validAfter, validBefore, nonce, signature] as const
  return encodeFunctionData({ abi, functionName: 'transferWithAuthorization', args })
}
