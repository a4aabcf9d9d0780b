import type { EIP1193Provider } from '../checkoutOptions.ts'
import { type CallsStatus, readCallsStatus } from './callsStatus.ts'
import { type Order, word } from './encodeTransfer.ts'
import { type ReadWallet, readWallet } from './provider/readWallet.ts'
import { errorCodes, walletError } from './provider/walletError.ts'

export type SentCalls =
  | { outcome: 'sent' | 'duplicate'; batchId: string }
  /** Nothing was sent; use `eth_sendTransaction`. */
  | { outcome: 'unsupported' }

/**
 * Whether the account is a smart account on this chain. An account that first needs an upgrade (`ready`) is not.
 *
 * @see https://eips.ethereum.org/EIPS/eip-5792#wallet_getcapabilities
 */
export async function takesCalls(read: ReadWallet, payer: string, chainId: string) {
  try {
    const chains = (await read('wallet_getCapabilities', payer, [chainId])) as Capabilities
    return [chainId, '0x0'].some((chain) => {
      return chains?.[chain]?.atomic?.status === 'supported'
    })
  } catch {
    return false
  }
}

type Capabilities = Record<string, { atomic?: { status?: unknown } } | undefined> | null

/**
 * Sends the transfer as a batch of one (EIP-5792). Its id depends only on the payment, so that the wallet itself refuses to pay twice, also
 * after a reload. The next id is used only if the batch has failed, and never once `signal` has aborted: the failed batch is then the last
 * that was sent.
 */
export async function sendCalls(
  provider: EIP1193Provider,
  signal: AbortSignal,
  { payer, chainId, token, data, reference, amount }: Order,
): Promise<SentCalls> {
  const read = readWallet(provider, signal)
  for (let failures = 0; ; failures += 1) {
    const id = `${reference}${word(amount.toString(16))}${failures.toString(16).padStart(2, '0')}`
    const calls = [{ to: token, data, value: '0x0' }]
    const batch = { version: '2.0.0', id, from: payer, chainId, atomicRequired: false, calls }
    try {
      const response = await provider.request({ method: 'wallet_sendCalls', params: [batch] })
      const batchId =
        typeof response === 'string' ? response : (response as { id?: unknown } | null)?.id
      return { outcome: 'sent', batchId: typeof batchId === 'string' ? batchId : id }
    } catch (error) {
      const code = walletError(error)
      if (code === 'user_rejected' || code === 'request_pending') throw error
      if (code === 'method_unsupported') return { outcome: 'unsupported' }
      const status = await readCallsStatus(read, id).catch((): CallsStatus | null => null)
      if (code === 'duplicate_submission') {
        if (status?.state === 'failed' && !signal.aborted) continue
        return { outcome: 'duplicate', batchId: id }
      }
      // The error leaves the outcome open; the wallet's status of the batch proves it.
      if (status?.state === 'pending' || status?.state === 'mined') {
        return { outcome: 'sent', batchId: id }
      }
      const isOver = status?.state === 'failed' || (status?.state === 'unknown' && hasEnded(error))
      if (isOver) return { outcome: 'unsupported' }
      throw error
    }
  }
}

/**
 * Whether the wallet itself ended the request (JSON-RPC 2.0). After a timeout or a disconnection it may still show it, and
 * does not know the batch before it is approved.
 */
function hasEnded(error: unknown): boolean {
  return errorCodes(error).some((code) => code >= -32768 && code <= -32000)
}
