import { type Address, type Chain, chainFacts, type Mode } from '@payment-intents/contract'
import { encodeAbiParameters, type Hex, keccak256, stringToHex } from 'viem'

type Terms = {
  readonly id: string
  readonly mode: Mode
  readonly chain: Chain
  readonly wallet: Address
  readonly amount: bigint
  readonly expiresAt: number
}

const typehash =
  'PaymentIntentRef(string id,uint256 chainId,address token,address to,uint256 amount,uint256 expiresAt,bytes32 salt)'

const types = [
  { type: 'bytes32' },
  { type: 'bytes32' },
  { type: 'uint256' },
  { type: 'address' },
  { type: 'address' },
  { type: 'uint256' },
  { type: 'uint256' },
  { type: 'bytes32' },
] as const

/** The 32-byte commitment to an intent's terms, an EIP-712 struct hash. @param salt 32 random bytes */
export function paymentReference(terms: Terms, salt: Hex): Hex {
  const { chainId, usdc } = chainFacts(terms.mode, terms.chain)
  const values = [
    keccak256(stringToHex(typehash)),
    keccak256(stringToHex(terms.id)),
    BigInt(chainId),
    usdc,
    terms.wallet,
    terms.amount,
    BigInt(terms.expiresAt),
    salt,
  ] as const
  return keccak256(encodeAbiParameters(types, values))
}
