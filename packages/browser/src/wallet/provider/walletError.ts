import type { CheckoutErrorCode } from '../../checkoutOptions.ts'

const codes: Record<number, CheckoutErrorCode> = {
  4001: 'user_rejected',
  4100: 'wallet_unauthorized',
  4200: 'method_unsupported',
  [-32601]: 'method_unsupported',
  // Invalid params: some wallets reject a batch's id or version this way, before they prompt the user.
  [-32602]: 'method_unsupported',
  4900: 'wallet_disconnected',
  4901: 'wallet_disconnected',
  4902: 'wrong_chain',
  [-32002]: 'request_pending',
  // EIP-5792: unsupported batches, and an id that was used before.
  5700: 'method_unsupported',
  5710: 'method_unsupported',
  5720: 'duplicate_submission',
  5740: 'method_unsupported',
  5750: 'user_rejected',
  5760: 'method_unsupported',
}

/**
 * Maps a wallet's error to a code. Wallets wrap the original error in `data.originalError` or `cause`, so all
 * codes are read before the messages.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1193#provider-errors
 */
export function walletError(error: unknown): CheckoutErrorCode {
  const chain = unwrap(error)
  for (const code of errorCodes(error)) {
    const errorCode = codes[code]
    if (errorCode) return errorCode
  }
  if (chain.some(({ name }) => name === 'TimeoutError')) return 'network_error'
  const text = chain.map(({ message }) => message).join(' ')
  if (/unrecognized chain/i.test(text)) return 'wrong_chain'
  if (/insufficient funds/i.test(text)) return 'insufficient_gas'
  if (/user (rejected|denied|cancell?ed)/i.test(text)) return 'user_rejected'
  return 'internal_error'
}

/** The codes of an error and of those it wraps. */
export function errorCodes(error: unknown): readonly number[] {
  return unwrap(error).map(({ code }) => code)
}

/**
 * Whether an error reports a revert: code 3 from most nodes, a message from the rest.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1474#error-codes
 */
export function isRevert(error: unknown): boolean {
  return unwrap(error).some(({ code, message }) => {
    return code === 3 || /revert/i.test(message)
  })
}

/**
 * Whether an error proves that nothing was sent. After an internal error, a lost connection or a pending
 * request, the wallet may still have sent the payment.
 */
export function provesEnd(code: CheckoutErrorCode): boolean {
  return !/_error$|_disconnected$|_pending$/.test(code)
}

type ErrorLike = {
  code?: unknown
  name?: unknown
  message?: unknown
  data?: { originalError?: unknown } | null
  cause?: unknown
}

type Unwrapped = { code: number; name: string; message: string }

function unwrap(error: unknown): Unwrapped[] {
  const chain: Unwrapped[] = []
  let next = error
  try {
    while (typeof next === 'object' && next !== null && chain.length < 4) {
      const { code, name, message, data, cause }: ErrorLike = next
      chain.push({ code: Number(code), name: String(name), message: String(message ?? '') })
      next = data?.originalError ?? cause
    }
  } catch {
    // Foreign objects may have getters that throw.
  }
  return chain
}
