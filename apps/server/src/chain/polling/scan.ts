import type { Hex } from 'viem'
import type { Header } from '../../store/chains/blocks.ts'
import {
  readTransactions,
  type TransactionLocation,
  type TransactionRpc,
} from '../rpc/readTransactions.ts'
import type { Rpc, RpcTransaction } from '../rpc/rpc.ts'
import { isWatched, type RpcTransfer } from '../rpc/transferLogs.ts'
import type { Window } from './reconcile.ts'

/** A transaction with transfers that are not stored yet; holds all of its watched transfers. */
export type ScannedTransaction = RpcTransaction & {
  readonly txHash: Hex
  readonly header: Header
  readonly transfers: readonly RpcTransfer[]
}

/** A transaction to read. */
export type ScanTarget = TransactionLocation & { readonly blockNumber: bigint }

/** A transaction that could not be read. */
export type FailedTransaction = {
  readonly txHash: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
  /** A text for the operator. */
  readonly reason: string
  readonly isLarge: boolean
}

export type Scanned = {
  /** In the order of the chain. */
  readonly transactions: readonly ScannedTransaction[]
  readonly failed: readonly FailedTransaction[]
}

export type ScanRpc = TransactionRpc & Pick<Rpc, 'header'>

/**
 * Reads calldata, receipt and header of transactions, and checks that they agree. Requests from the second provider
 * what the first does not return. No transaction delays another.
 */
export async function scan(
  [first, second]: readonly [ScanRpc, (ScanRpc & { isReady(): boolean }) | null],
  targets: readonly ScanTarget[],
  options: { readonly topics: ReadonlySet<Hex>; readonly window: Window },
): Promise<Scanned> {
  const byFirst = await scanBy(first, targets, options)
  const failed = new Map(byFirst.failed.map((transaction) => [transaction.txHash, transaction]))
  const retried = targets.filter(({ txHash }) => failed.has(txHash))
  if (retried.length === 0 || !second?.isReady()) return byFirst
  const bySecond = await scanBy(second, retried, options)
  return {
    transactions: [...byFirst.transactions, ...bySecond.transactions].sort(byPlace),
    // Keep the first provider's reason; the receipt is large if either provider says so.
    failed: bySecond.failed.map((transaction) => {
      const before = failed.get(transaction.txHash) ?? transaction
      return { ...before, isLarge: before.isLarge || transaction.isLarge }
    }),
  }
}

async function scanBy(
  rpc: ScanRpc,
  targets: readonly ScanTarget[],
  { topics, window }: { topics: ReadonlySet<Hex>; window: Window },
): Promise<Scanned> {
  const headerAt = headersOf(rpc, window)
  const [results, headers] = await Promise.all([
    readTransactions(rpc, targets),
    Promise.all(targets.map(({ blockNumber }) => headerAt(blockNumber))),
  ])
  const transactions: ScannedTransaction[] = []
  const failed: FailedTransaction[] = []
  for (const [index, { txHash, blockNumber, blockHash }] of targets.entries()) {
    const result = results.get(txHash)
    const header = headers[index]
    const fail = (reason: string, isLarge = false) =>
      void failed.push({ txHash, blockNumber, blockHash, reason, isLarge })
    if (result?.type === 'failed') fail(result.error.message, result.isLarge)
    else if (header instanceof Error) fail(header.message)
    else if (header?.hash !== blockHash) fail(`Its block ${blockHash} is not canonical.`)
    else if (result?.type !== 'read' || result.receipt?.blockHash !== blockHash)
      fail('The provider lists a log of the transaction, but does not know the transaction.')
    else {
      const transfers = result.receipt.transfers.filter((transfer) => isWatched(transfer, topics))
      transactions.push({ ...result.sent, txHash, header, transfers })
    }
  }
  return { transactions: transactions.sort(byPlace), failed }
}

/** Reads each header once, also for many transactions of one block. An error is a possible result. */
function headersOf(rpc: Pick<Rpc, 'header'>, window: Window) {
  const requested = new Map<bigint, Promise<Header | Error | null>>()
  return (number: bigint): Header | Promise<Header | Error | null> => {
    const canonical = window.get(number) ?? requested.get(number)
    if (canonical) return canonical
    const header = rpc.header(number).catch((error: unknown) => error as Error)
    requested.set(number, header)
    return header
  }
}

/** In the order of the chain. */
function byPlace(a: ScannedTransaction, b: ScannedTransaction): number {
  if (a.header.number !== b.header.number) return a.header.number < b.header.number ? -1 : 1
  return (a.transfers[0]?.logIndex ?? 0) - (b.transfers[0]?.logIndex ?? 0)
}
