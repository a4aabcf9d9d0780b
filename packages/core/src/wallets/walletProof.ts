import { type Address, windows } from '@payment-intents/contract'
import { type Hex, hashMessage } from 'viem'
import { recoverSigner } from '../authorizations/readSignature.ts'
import { signInText } from '../lib/signInText.ts'
import type { CheckAccountSignature } from '../refunds/store.ts'

/** The party to whom somebody proves that they hold an account's key. */
export type WalletProofTerms = {
  /** Origin of the page that requests the signature. */
  readonly url: string
  readonly merchantId: string
  /** Lower-case. */
  readonly address: Address
}

/** The values that the server chose for a message. */
export type WalletProofChallenge = {
  /** The chain on which the code of an account decides, if the account has no private key (EIP-1271). */
  readonly chainId: number
  readonly nonce: string
  /** Unix milliseconds. */
  readonly issuedAt: number
}

/** Why a message or its signature proves nothing, with a sentence for the signer. */
export const walletProofRefusals = {
  malformed: 'This is not a message of this service. Start again, and sign the message as it is.',
  wrong_domain: 'The message is of another service. Start again here.',
  wrong_merchant: 'The message is of another merchant. Start again in this account.',
  wrong_address: 'The message is about another address. Start again with this address.',
  expired: 'The message is older than ten minutes. Start again.',
  nonce_used: 'The message was used before, or was replaced by newer ones. Start again.',
  signature_invalid:
    'The signature is from another account. Sign with the account of this address.',
} as const
export type WalletProofRefusal = keyof typeof walletProofRefusals

/** The message that an account signs to prove that a merchant holds its key. */
export function walletProofMessage(
  { url, merchantId, address }: WalletProofTerms,
  { chainId, nonce, issuedAt }: WalletProofChallenge,
): string {
  return signInText({
    ...{ uri: `${url}/`, account: address, chainId, nonce, issuedAt },
    statement: `Prove that this wallet belongs to ${merchantId}, which is paid here.`,
    validFor: windows.walletProof,
    requestId: merchantId,
  })
}

/**
 * Reads a message that this merchant's account may have signed. Whether its nonce was used shows when the proof is
 * stored.
 * @param now Unix milliseconds
 */
export function readWalletProof(
  message: string,
  terms: WalletProofTerms,
  now: number,
): ({ readonly type: 'read' } & WalletProofChallenge) | RefusedWalletProof {
  const chosen = challengeIn(message)
  if (!chosen) return refused('malformed')
  const expected = walletProofMessage(terms, chosen).split('\n')
  const lines = message.split('\n')
  const differs = (line: number) => lines[line] !== expected[line]
  if (differs(0)) return refused('wrong_domain')
  if (differs(expected.length - 1)) return refused('wrong_merchant')
  if (differs(1)) return refused('wrong_address')
  if (message !== expected.join('\n')) return refused('malformed')
  const age = now - chosen.issuedAt
  if (!(age >= 0 && age < windows.walletProof * 1000)) return refused('expired')
  return { type: 'read', ...chosen }
}

/**
 * A proof with a valid signature. `chainId` is where the account's code said so; null: a private key signed, on all
 * chains.
 */
export type SignedWalletProof =
  | { readonly type: 'signed'; readonly chainId: number | null }
  | { readonly type: 'unavailable' }
  | RefusedWalletProof

export type RefusedWalletProof = { readonly type: 'refused'; readonly reason: WalletProofRefusal }

/** Checks who signed a message: the account's private key, else the account's code (EIP-1271). */
export async function checkWalletSignature(
  checkAccountSignature: CheckAccountSignature,
  signed: { address: Address; chainId: number; message: string; signature: Hex },
): Promise<SignedWalletProof> {
  const { address: account, chainId, message, signature } = signed
  const hash = hashMessage(message)
  const recovered = await recoverSigner(hash, signature)
  if (recovered.type === 'account' && recovered.signer === account)
    return { type: 'signed', chainId: null }
  const isValid = await checkAccountSignature({ chainId, account, hash, signature })
  if (isValid === null) return { type: 'unavailable' }
  return isValid ? { type: 'signed', chainId } : refused('signature_invalid')
}

/** Reads the chosen values from a message; fields that do not fit are absent. */
function challengeIn(message: string): WalletProofChallenge | null {
  const form =
    /\nChain ID: (\d{1,15})\nNonce: ([\da-f]{32})\nIssued At: (\d{4}-[\d-]{5}T[\d:.]{12}Z)\n/
  const [, chainId = '', nonce = '', issued = ''] = form.exec(message) ?? []
  const issuedAt = Date.parse(issued)
  return Number.isNaN(issuedAt) ? null : { chainId: Number(chainId), nonce, issuedAt }
}

function refused(reason: WalletProofRefusal): RefusedWalletProof {
  return { type: 'refused', reason }
}
