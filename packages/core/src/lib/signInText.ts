import type { Address } from '@payment-intents/contract'
import { checksummed } from './checksummed.ts'

/** The parts of a message that an account signs. */
export type SignInText = {
  /** The page that requests the signature. */
  readonly uri: string
  readonly account: Address
  /** One line. */
  readonly statement: string
  readonly chainId: number
  readonly nonce: string
  /** Unix milliseconds. */
  readonly issuedAt: number
  /** Seconds from `issuedAt`. */
  readonly validFor: number
  /** The object of the message. */
  readonly requestId: string
}

/**
 * A sign-in message that wallets recognize.
 * @see https://eips.ethereum.org/EIPS/eip-4361
 */
export function signInText(text: SignInText): string {
  const { uri, account, statement, chainId, nonce, issuedAt, validFor, requestId } = text
  return [
    `${new URL(uri).host} wants you to sign in with your Ethereum account:`,
    checksummed(account),
    '',
    statement,
    '',
    `URI: ${uri}`,
    'Version: 1',
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${new Date(issuedAt).toISOString()}`,
    `Expiration Time: ${new Date(issuedAt + validFor * 1000).toISOString()}`,
    `Request ID: ${requestId}`,
  ].join('\n')
}
