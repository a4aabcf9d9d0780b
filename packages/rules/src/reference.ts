import type { Address } from '@payment-intents/contract'
import { encodeAbiParameters, type Hex, keccak256, stringToHex } from 'viem'

export type ReferenceTerms = {
  id: string
  chainId: number
  token: Address
  /** The wallet that receives the payment. */
  to: Address
  /** `amount_units`: the price, without the tag that the payable amount may carry. */
  amount: bigint
  /** Unix seconds. */
  expiresAt: number
  /** 32 random bytes. Revealing it lets anyone check that a payment was for these terms. */
  salt: Hex
}

const typehash = keccak256(
  stringToHex(
    'PaymentIntentRef(string id,uint256 chainId,address token,address to,uint256 amount,uint256 expiresAt,bytes32 salt)',
  ),
)

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

/** The 32-byte commitment to an intent's terms, encoded as an EIP-712 struct hash. */
export function paymentReference(terms: ReferenceTerms): Hex {
  return keccak256(
    encodeAbiParameters(types, [
      typehash,
      keccak256(stringToHex(terms.id)),
      BigInt(terms.chainId),
      terms.token,
      terms.to,
      terms.amount,
      BigInt(terms.expiresAt),
      terms.salt,
    ]),
  )
}
