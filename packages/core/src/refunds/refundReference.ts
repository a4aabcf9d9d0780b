import type { Address } from '@payment-intents/contract'
import { type Hex, stringToBytes, keccak256 as viemKeccak256 } from 'viem'
import { hashWords, type Keccak256 } from '../payment-intents/creation/reference.ts'

export type RefundReferenceTerms = {
  id: string
  /** The id of the intent or transfer that is refunded. */
  source: string
  chainId: number
  token: Address
  amount: bigint
  /** 32 random bytes. */
  salt: Hex
}

const typehash = viemKeccak256(
  stringToBytes(
    'RefundRef(string id,string source,uint256 chainId,address token,uint256 amount,bytes32 salt)',
  ),
)

/**
 * The 32-byte commitment to a refund's terms, encoded as an EIP-712 struct hash: the nonce of the authorization that
 * pays it. It covers neither the destination nor the signer: another destination has the same nonce, which an account
 * can use once.
 */
export function refundReference(
  terms: RefundReferenceTerms,
  keccak256: Keccak256 = viemKeccak256,
): Hex {
  return hashWords(
    [
      typehash,
      keccak256(stringToBytes(terms.id)),
      keccak256(stringToBytes(terms.source)),
      terms.chainId.toString(16),
      terms.token,
      terms.amount.toString(16),
      terms.salt,
    ],
    keccak256,
  )
}
