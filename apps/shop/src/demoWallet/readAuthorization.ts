import type { TypedData } from '@payment-intents/testing/wallet'

/** The message that a payer signs to pay without gas (EIP-3009). */
export type SignedTransfer = {
  /** The token's contract. */
  token: string
  recipient: string
  /** In the token's smallest units. */
  amount: bigint
  /** Unix seconds, until which it can be submitted. */
  until: bigint
  /** Identifies the payment. */
  nonce: string
}

/** @returns null for any other message */
export function readAuthorization({
  primaryType,
  domain,
  message,
}: TypedData): SignedTransfer | null {
  const { to, value, validBefore, nonce } = message
  const token = domain.verifyingContract
  const texts = [to, value, validBefore, nonce, token].map(String)
  const [recipient = '', amount = '', until = ''] = texts
  if (primaryType !== 'TransferWithAuthorization') return null
  if (!/^0x[0-9a-f]{40}$/i.test(recipient) || !/^\d+$/.test(amount) || !/^\d+$/.test(until))
    return null
  return {
    token: String(token),
    recipient,
    amount: BigInt(amount),
    until: BigInt(until),
    nonce: String(nonce),
  }
}
