import type { CheckoutErrorCode, EIP1193Provider } from '../checkoutOptions.ts'
import { sleep } from '../lib/sleep.ts'
import { readCallsStatus } from './callsStatus.ts'
import { type ReadWallet, readWallet } from './provider/readWallet.ts'
import { walletError } from './provider/walletError.ts'

/** A payment that a wallet has sent: a transaction, or a batch (EIP-5792) whose transaction is not known yet. */
export type Sending = { payer: string; txHash: string | null; batchId: string | null }

type Watch = {
  /** Called when the transaction of a batch becomes known. */
  onHash: (txHash: string) => void
  /** Aborted when the service has seen the payment, or the checkout stops waiting for it. */
  signal: AbortSignal
}

const pauseMs = 2000
/** A transaction that was sped up pays under another hash; the service gets this long to see it. */
const replacedAfterMs = 10_000
/** Nodes may take a while to share new transactions. */
const droppedAfterMs = 30_000

/**
 * Watches a sent payment through its wallet for failures that the service cannot see: a transaction that fails or never reaches the chain.
 * Never rejects.
 *
 * @returns why the payment will not arrive; `null` if no failure is known
 */
export async function watchSending(
  provider: EIP1193Provider,
  { payer, txHash, batchId }: Sending,
  { onHash, signal }: Watch,
): Promise<CheckoutErrorCode | null> {
  const read = readWallet(provider, signal)
  const look = txHash
    ? lookForTransaction(read, txHash, payer)
    : lookForBatch(read, batchId, onHash)
  while (!signal.aborted) {
    try {
      const transaction = await look()
      if (transaction) return transaction === 'mined' ? null : transaction
    } catch (error) {
      // Other errors may be temporary.
      if (walletError(error) === 'method_unsupported') return null
    }
    await sleep(pauseMs, signal)
  }
  return null
}

type Look = () => Promise<CheckoutErrorCode | 'mined' | null>

function lookForBatch(read: ReadWallet, id: string | null, onHash: (hash: string) => void): Look {
  return async () => {
    if (id === null) return 'mined'
    const status = await readCallsStatus(read, id)
    if (status.state === 'failed') return status.code
    if (status.state !== 'mined') return null
    if (status.txHash) onHash(status.txHash)
    return 'mined'
  }
}

function lookForTransaction(read: ReadWallet, hash: string, payer: string): Look {
  let nonce: number | null = null
  let replacedSince: number | null = null
  let missingSince: number | null = null

  return async () => {
    const transaction = (await read('eth_getTransactionByHash', hash)) as ChainObject
    if (transaction?.nonce !== undefined) nonce = Number(transaction.nonce)
    const used = nonce === null ? 0 : Number(await read('eth_getTransactionCount', payer, 'latest'))
    // Read last: a transaction mined in between would look replaced.
    const receipt = (await read('eth_getTransactionReceipt', hash)) as ChainObject
    if (receipt) return Number(receipt.status) === 0 ? 'tx_reverted' : 'mined'

    const now = Date.now()
    replacedSince = nonce !== null && used > nonce ? (replacedSince ?? now) : null
    missingSince = transaction ? null : (missingSince ?? now)
    if (replacedSince !== null) return now - replacedSince < replacedAfterMs ? null : 'tx_replaced'
    const missing = missingSince !== null && now - missingSince >= droppedAfterMs
    return missing ? 'tx_dropped' : null
  }
}

type ChainObject = { nonce?: unknown; status?: unknown } | null
