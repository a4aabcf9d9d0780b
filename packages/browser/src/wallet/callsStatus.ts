import type { CheckoutErrorCode } from '../checkoutOptions.ts'
import { isHash } from './encodeTransfer.ts'
import type { ReadWallet } from './provider/readWallet.ts'
import { errorCodes } from './provider/walletError.ts'

export type CallsStatus =
  | { state: 'pending' }
  | { state: 'mined'; txHash: string | null }
  | { state: 'failed'; code: CheckoutErrorCode }
  /** The wallet has no such batch. */
  | { state: 'unknown' }

/**
 * Reads the status of a batch.
 *
 * @throws the wallet's error, or an error without a status
 * @see https://eips.ethereum.org/EIPS/eip-5792#wallet_getcallsstatus
 */
export async function readCallsStatus(read: ReadWallet, id: string): Promise<CallsStatus> {
  let response: StatusResponse | null
  try {
    response = (await read('wallet_getCallsStatus', id)) as StatusResponse | null
  } catch (error) {
    if (errorCodes(error).includes(unknownBundle)) return { state: 'unknown' }
    throw error
  }
  const { status, receipts } = response ?? {}
  const code = Number(status)
  // In a batch that reverted in part (600), the transfer may have succeeded.
  if (code >= 600) return { state: 'pending' }
  if (code >= 500) return { state: 'failed', code: 'tx_reverted' }
  if (code >= 400) return { state: 'failed', code: 'tx_dropped' }
  if (!(code >= 100)) throw new Error('The wallet returns no status.')
  if (code < 200) return { state: 'pending' }
  const hash = receipts?.at(-1)?.transactionHash
  return { state: 'mined', txHash: isHash(hash) ? hash : null }
}

type StatusResponse = { status?: unknown; receipts?: { transactionHash?: unknown }[] }

/** `Unknown bundle id` of EIP-5792. */
const unknownBundle = 5730
