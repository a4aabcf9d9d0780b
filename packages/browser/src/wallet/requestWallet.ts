import type { CheckoutErrorCode, EIP1193Provider } from '../checkoutOptions.ts'
import { type Authorization, isSignature, typedData } from './authorization.ts'
import { isHash, type Order } from './encodeTransfer.ts'
import type { Problem } from './problem.ts'
import { provesEnd, walletError } from './provider/walletError.ts'
import { sendCalls } from './sendCalls.ts'

/** A wallet's response to a request to pay. */
export type WalletResponse =
  | { outcome: 'sent' | 'duplicate'; txHash: string | null; batchId: string | null }
  /** Only a caller that has the signature can submit it. */
  | { outcome: 'signed'; signature: string }
  /** Nothing was sent: batches are unsupported after all; use `eth_sendTransaction`. */
  | { outcome: 'unsupported' }
  /** Nothing was sent, unless the problem is `unsure`. */
  | { outcome: 'refused'; problem: Problem }

/** Requests one payment from a wallet and waits without a timeout. Never rejects. */
export async function requestWallet(
  provider: EIP1193Provider,
  order: Order,
  signal: AbortSignal,
): Promise<WalletResponse> {
  if (order.authorization) return sign(provider, order.payer, order.authorization)
  try {
    if (order.method === 'batch') {
      const sent = await sendCalls(provider, signal, order)
      return sent.outcome === 'unsupported' ? sent : { ...sent, txHash: null }
    }
    const { payer, token, data, chainId } = order
    const transaction = { from: payer, to: token, data, value: '0x0', chainId }
    const hash = await provider.request({ method: 'eth_sendTransaction', params: [transaction] })
    return { outcome: 'sent', txHash: isHash(hash) ? hash : null, batchId: null }
  } catch (error) {
    const code = walletError(error)
    // The wallet had already sent this payment.
    if (code === 'duplicate_submission')
      return { outcome: 'duplicate', txHash: null, batchId: null }
    const problem: Problem = isPayersChoice(code) ? { code } : { code, unusable: true }
    return {
      outcome: 'refused',
      problem: provesEnd(code) ? problem : { ...problem, unsure: true },
    }
  }
}

/**
 * Any response but a signature proves that nothing will be paid: a wallet passes a signature to nobody else. So a wallet that cannot sign
 * sends a transfer next, regardless of its error.
 */
async function sign(
  provider: EIP1193Provider,
  payer: string,
  authorization: Authorization,
): Promise<WalletResponse> {
  try {
    const params = [payer, typedData(authorization)]
    const signature = await provider.request({ method: 'eth_signTypedData_v4', params })
    if (isSignature(signature)) return { outcome: 'signed', signature }
    return { outcome: 'refused', problem: cannotSign('internal_error') }
  } catch (error) {
    const code = walletError(error)
    return { outcome: 'refused', problem: isPayersChoice(code) ? { code } : cannotSign(code) }
  }
}

function cannotSign(code: CheckoutErrorCode): Problem {
  return { code, unusable: true, needsFee: true }
}

/** Whether the payer refused, or has to finish another request first: the method may well work. */
function isPayersChoice(code: CheckoutErrorCode): boolean {
  return code === 'user_rejected' || code === 'request_pending'
}
