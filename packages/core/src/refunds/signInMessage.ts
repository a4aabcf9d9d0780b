import { type Address, usdcDecimals, windows } from '@payment-intents/contract'
import { keccak256, stringToBytes } from 'viem'
import { signInText } from '../lib/signInText.ts'
import type { Refund } from './refund.ts'

/** The signer and the refund. */
type SignInTerms = {
  readonly publicUrl: string
  readonly refund: Pick<Refund, 'id' | 'sequence' | 'chainId' | 'amount'>
  readonly account: Address
  /** The token of `links.page`. */
  readonly token: string
}

/**
 * The message by which an account names itself as the destination of a refund. It is valid once: the nonce depends on
 * the refund's `sequence`, and each change of the destination raises that.
 * @param issuedAt Unix milliseconds
 * @see https://eips.ethereum.org/EIPS/eip-4361
 */
export function signInMessage(terms: SignInTerms, issuedAt: number): string {
  const { publicUrl, refund, account, token } = terms
  const { id, sequence, chainId, amount } = refund
  const issued = new Date(issuedAt).toISOString()
  const nonce = keccak256(stringToBytes(`${token} ${sequence} ${account} ${issued}`)).slice(2, 34)
  return signInText({
    ...{ uri: `${publicUrl}/refund/`, account, chainId, nonce, issuedAt, requestId: id },
    statement: `Send my refund of ${inUsdc(amount)} USDC to this account.`,
    validFor: windows.refundClaim,
  })
}

/**
 * Whether this account can sign a message now.
 *
 * @param now Unix milliseconds
 */
export function isSignInMessage(message: string, terms: SignInTerms, now: number): boolean {
  const [, issued = ''] = /\nIssued At: (\S+)\n/.exec(message) ?? []
  const issuedAt = Date.parse(issued)
  const age = now - issuedAt
  if (!(age >= 0 && age < windows.refundClaim * 1000)) return false
  return message === signInMessage(terms, issuedAt)
}

function inUsdc(amount: bigint): string {
  const digits = String(amount).padStart(usdcDecimals + 1, '0')
  const fraction = digits.slice(-usdcDecimals).replace(/0{1,4}$/, '')
  return `${digits.slice(0, -usdcDecimals)}.${fraction}`
}
