import type { Address, TransferAuthorization } from '@payment-intents/contract'
import { authorizationTypes } from '@payment-intents/contract/usdc'
import { type Hex, hashTypedData, numberToHex, recoverAddress, size, slice } from 'viem'
import { usdcDomain } from '../payment-intents/checkout/gaslessOffer.ts'

/**
 * A signature of an authorization. `account`: by a private key, in the only form that the token accepts. `contract`:
 * only an account's code can say whether it is valid; `message` says why no private key made it.
 */
export type ParsedSignature =
  | { type: 'account'; signature: Hex; signer: Address }
  | { type: 'contract'; signature: Hex; message: string }
  | { type: 'invalid'; message: string }

/** Half of the order of secp256k1: of the two valid values of `s`, the token accepts the lower. */
const highestS = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
/** The last 32 bytes of a wrapped signature of an account that is not deployed yet (ERC-6492). */
const wrapped = '6492'.repeat(16)

/**
 * Reads a signature of 65 bytes, of 64 (EIP-2098), or of a contract's own form, and recovers the signer.
 * @param signature 0x and lower-case or upper-case digits
 */
export async function readSignature(
  chainId: number,
  authorization: TransferAuthorization,
  signature: Hex,
): Promise<ParsedSignature> {
  const normalized = signature.toLowerCase() as Hex
  if (normalized.endsWith(wrapped)) {
    const message =
      'The signature is of an account that has no code yet (ERC-6492), which USDC cannot check: deploy the account first, or pay by a transfer.'
    return { type: 'invalid', message }
  }
  return recoverSigner(authorizationDigest(chainId, authorization), normalized)
}

/** Recovers the private-key account that signed a hash. `contract`: no private key made the signature. */
export async function recoverSigner(
  hash: Hex,
  signature: Hex,
): Promise<Exclude<ParsedSignature, { type: 'invalid' }>> {
  const normalized = signature.toLowerCase() as Hex
  const parts = partsOf(normalized)
  if (typeof parts === 'string') return { type: 'contract', signature: normalized, message: parts }
  const canonical: Hex = `${parts.rs}${parts.v.slice(2)}`
  try {
    const signer = (await recoverAddress({ hash, signature: canonical })).toLowerCase() as Address
    return { type: 'account', signature: canonical, signer }
  } catch {
    return {
      type: 'contract',
      signature: normalized,
      message: 'The signature is not a point of secp256k1.',
    }
  }
}

/** The EIP-712 hash that the payer signs. */
export function authorizationDigest(chainId: number, authorization: TransferAuthorization): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return hashTypedData({
    domain: usdcDomain(chainId) as { verifyingContract: Address },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: {
      // Lower-case: the encoder refuses a wrong checksum, and USDC uses none.
      from: from.toLowerCase() as Address,
      to: to.toLowerCase() as Address,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce: nonce as Hex,
    },
  })
}

/** `r` and `s`, and `v` as 27 or 28; or why they are missing. */
function partsOf(signature: Hex): { rs: Hex; v: Hex } | string {
  const bytes = size(signature)
  if (bytes === 64) {
    // The highest bit of `s` is free and selects the point.
    const word = BigInt(slice(signature, 32))
    return checked(slice(signature, 0, 32), word & ((1n << 255n) - 1n), Number(word >> 255n))
  }
  if (bytes !== 65)
    return `The signature of an account with a private key has 64 or 65 bytes, not ${bytes}.`
  const last = Number(slice(signature, 64))
  const parity = last >= 27 ? last - 27 : last
  if (parity > 1) return 'The last byte of the signature must be 0, 1, 27 or 28.'
  return checked(slice(signature, 0, 32), BigInt(slice(signature, 32, 64)), parity)
}

function checked(r: Hex, s: bigint, parity: number): { rs: Hex; v: Hex } | string {
  if (s > highestS) return 'The `s` of the signature is in the upper half, which USDC refuses.'
  const rs: Hex = `${r}${numberToHex(s, { size: 32 }).slice(2)}`
  return { rs, v: parity === 0 ? '0x1b' : '0x1c' }
}
