import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { Header } from '../db/chainBlocks.ts'
import type { Queryable } from '../db/connect.ts'
import { findKnownLogs } from '../db/transfers.ts'
import type { Window } from './reconcile.ts'
import type { Rpc, RpcTransaction, RpcTransfer } from './rpc.ts'
import { RpcError } from './rpcError.ts'

/** A transaction with transfers that are not stored yet; holds all of its transfers to watched wallets. */
export type ScannedTransaction = RpcTransaction & {
  readonly txHash: Hex
  readonly header: Header
  readonly transfers: readonly RpcTransfer[]
}

/**
 * Completes logs to transactions: calldata, receipt and block, all agreeing with each other.
 *
 * @throws {RpcError} when the provider's answers contradict each other; reading the same blocks again settles it
 */
export async function scan(
  db: Queryable,
  rpc: Rpc,
  read: {
    chainId: number
    logs: readonly RpcTransfer[]
    wallets: ReadonlySet<Address>
    window: Window
  },
): Promise<ScannedTransaction[]> {
  const known = await findKnownLogs(db, read.chainId, [
    ...new Set(read.logs.map((log) => log.blockHash)),
  ])
  const unknown = read.logs.filter((log) => !known.has(`${log.blockHash}:${log.logIndex}`))
  if (unknown.length === 0) return []
  const byTransaction = new Map(unknown.map((log) => [log.txHash, log]))
  return Promise.all(
    [...byTransaction.values()].map(async (log) => {
      // The receipt, not the query, tells all transfers of the transaction: which of them a reference pays
      // must not depend on which of them a provider happened to return first.
      const [sent, receipt, header] = await Promise.all([
        rpc.transaction(log.txHash),
        rpc.receipt(log.txHash),
        headerOf(rpc, read.window, log),
      ])
      if (!sent || !receipt || receipt.blockHash !== log.blockHash) {
        throw contradiction(`a log of transaction ${log.txHash} but not the transaction`)
      }
      return {
        ...sent,
        txHash: log.txHash,
        header,
        transfers: receipt.transfers.filter((transfer) => read.wallets.has(transfer.to)),
      }
    }),
  )
}

async function headerOf(rpc: Rpc, window: Window, log: RpcTransfer): Promise<Header> {
  const canonical = window.get(log.blockNumber)
  if (canonical && canonical.hash !== log.blockHash) {
    throw contradiction(`a log of block ${log.blockHash}, which is not canonical`)
  }
  const header = canonical ?? (await rpc.headerByHash(log.blockHash))
  if (!header) throw contradiction(`a log of block ${log.blockHash} but not the block`)
  return header
}

function contradiction(what: string): RpcError {
  return new RpcError('contradiction', `The RPC returned ${what}.`)
}
