import type { Address } from '@payment-intents/contract'
import { type Hex, stringToBytes, keccak256 as viemKeccak256 } from 'viem'

export type ReferenceTerms = {
  id: string
  chainId: number
  token: Address
  /** The wallet that receives the payment. */
  to: Address
  /** `amount_units`: the price, without the tag of the payable amount. */
  amount: bigint
  /** Unix seconds. */
  expiresAt: number
  /** 32 random bytes. Revealing it lets anyone check that a payment was for these terms. */
  salt: Hex
}

/** The Keccak-256 of bytes, as such or as hexadecimal digits. */
export type Keccak256 = (value: Hex | Uint8Array) => Hex

const typehash = viemKeccak256(
  stringToBytes(
    'PaymentIntentRef(string id,uint256 chainId,address token,address to,uint256 amount,uint256 expiresAt,bytes32 salt)',
  ),
)

/**
 * The 32-byte commitment to an intent's terms, encoded as an EIP-712 struct hash.
 * @param keccak256 a faster implementation than JavaScript's, if available
 */
export function paymentReference(terms: ReferenceTerms, keccak256: Keccak256 = viemKeccak256): Hex {
  // Encoded by hand, since each field is one word: a general encoder costs more than the hash.
  const words = [
    typehash,
    keccak256(stringToBytes(terms.id)),
    terms.chainId.toString(16),
    terms.token,
    terms.to,
    terms.amount.toString(16),
    terms.expiresAt.toString(16),
    terms.salt,
  ]
  return hashWords(words, keccak256)
}

/** The hash of words of 32 bytes, each as hexadecimal digits. */
export function hashWords(words: readonly string[], keccak256: Keccak256): Hex {
  return keccak256(`0x${words.map(toWord).join('')}`)
}

/** Hexadecimal digits, with or without `0x`, as 32 bytes. */
function toWord(digits: string): string {
  return (digits.startsWith('0x') ? digits.slice(2) : digits).padStart(64, '0')
}
