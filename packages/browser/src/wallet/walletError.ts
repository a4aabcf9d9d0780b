import type { CheckoutErrorCode } from '../options.ts'

const codes: Record<number, CheckoutErrorCode> = {
  4001: 'user_rejected',
  4100: 'wallet_unauthorized',
  4200: 'method_unsupported',
  [-32601]: 'method_unsupported',
  // Of the parameters: some wallets refuse a batch's id or version so, before anyone was asked.
  [-32602]: 'method_unsupported',
  4900: 'wallet_disconnected',
  4901: 'wallet_disconnected',
  4902: 'wrong_chain',
  [-32002]: 'request_pending',
  // EIP-5792: what a batch cannot be, and an id that was used before.
  5700: 'method_unsupported',
  5710: 'method_unsupported',
  5720: 'duplicate_submission',
  5740: 'method_unsupported',
  5750: 'user_rejected',
  5760: 'method_unsupported',
}

/**
 * What a wallet's refusal means. Wallets wrap the error that counts in `data.originalError` or
 * `cause`, so the whole chain is read before its words are.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1193#provider-errors
 */
export function walletError(error: unknown): CheckoutErrorCode {
  const chain = unwrap(error)
  for (const { code } of chain) {
    const known = codes[Number(code)]
    if (known) return known
  }
  if (chain.some(({ name }) => name === 'TimeoutError')) return 'network_error'
  const words = chain.map(({ message }) => String(message ?? '')).join(' ')
  if (/unrecognized chain/i.test(words)) return 'wrong_chain'
  if (/insufficient funds/i.test(words)) return 'insufficient_gas'
  if (/user (rejected|denied|cancell?ed)/i.test(words)) return 'user_rejected'
  return 'internal_error'
}

/**
 * Whether an error says that a call reverts: 3 by most nodes, in words by the rest.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1474#error-codes
 */
export function isRevert(error: unknown): boolean {
  return unwrap(error).some(({ code, message }) => {
    return Number(code) === 3 || /revert/i.test(String(message ?? ''))
  })
}

/**
 * Whether a refusal of a request to pay proves that it came to its end with nothing sent. The others may
 * hide a payment: an inner error or a lost connection, and a wallet that still shows an earlier request.
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

function unwrap(error: unknown): ErrorLike[] {
  const chain: ErrorLike[] = []
  let next = error
  while (typeof next === 'object' && next !== null && chain.length < 4) {
    const current: ErrorLike = next
    chain.push(current)
    next = current.data?.originalError ?? current.cause
  }
  return chain
}
