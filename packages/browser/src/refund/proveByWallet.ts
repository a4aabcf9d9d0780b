import type { EIP1193Provider } from '../checkoutOptions.ts'
import { isHex } from '../lib/isHex.ts'
import { requestOnce } from '../wallet/provider/requestOnce.ts'
import { walletError } from '../wallet/provider/walletError.ts'

/** The response of a wallet or its owner. `unsigned`: the wallet has shared its account, but returns no signature. */
export type WalletResponse =
  | { type: 'signed'; account: string; message: string; signature: string }
  | { type: 'unsigned'; account: string }
  | { type: 'declined' }
  /** The wallet shows an earlier request, which its owner has to finish first. */
  | { type: 'open' }
  | { type: 'failed' }

/**
 * Makes the first account of a wallet sign that the refund goes to it. Nothing is sent to a chain, so no request can pay or cost anything,
 * regardless of the wallet's response.
 *
 * @param messageFor the message that an account signs; null: the account cannot be named as the destination
 */
export async function proveByWallet(
  provider: EIP1193Provider,
  messageFor: (account: string) => Promise<string | null>,
): Promise<WalletResponse> {
  let account: unknown
  try {
    const accounts = await requestOnce(provider, { method: 'eth_requestAccounts' })
    account = (accounts as readonly unknown[])[0]
  } catch (error) {
    return responseTo(error) ?? { type: 'failed' }
  }
  if (!isHex(account, 40)) return { type: 'failed' }
  const message = await messageFor(account)
  if (message === null) return { type: 'failed' }
  try {
    const params = [hexOf(message), account]
    const signature = await provider.request({ method: 'personal_sign', params })
    const isSignature =
      typeof signature === 'string' && /^0x([\da-f]{2}){64,4096}$/i.test(signature)
    return isSignature
      ? { type: 'signed', account, message, signature }
      : { type: 'unsigned', account }
  } catch (error) {
    // Any other error: this wallet cannot sign, regardless of the error's name.
    return responseTo(error) ?? { type: 'unsigned', account }
  }
}

function responseTo(error: unknown): WalletResponse | null {
  const code = walletError(error)
  if (code === 'user_rejected') return { type: 'declined' }
  return code === 'request_pending' ? { type: 'open' } : null
}

/** The UTF-8 bytes of a text, as `personal_sign` takes them. */
function hexOf(text: string): string {
  const digits = [...new TextEncoder().encode(text)].map((byte) =>
    byte.toString(16).padStart(2, '0'),
  )
  return `0x${digits.join('')}`
}
