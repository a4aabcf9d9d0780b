import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { Header } from '../db/chains/blocks.ts'
import type { Window } from './reconcile.ts'
import type { Rpc, RpcTransaction, RpcTransfer } from './rpc.ts'
import { RpcError } from './rpcError.ts'

/** A transaction with transfers that are not stored yet; holds all of its transfers to watched wallets. */
export type ScannedTransaction = RpcTransaction & {
  readonly txHash: Hex
  readonly header: Header
  readonly transfers: readonly RpcTransfer[]
}

/** A transaction with transfers that are not stored yet. */
type Unread = { readonly txHash: Hex; readonly logs: readonly RpcTransfer[] }

/** A transaction that could not be read. */
export type Unreadable = {
  readonly txHash: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly error: RpcError
}

export type Scanned = {
  readonly transactions: readonly ScannedTransaction[]
  readonly unreadable: readonly Unreadable[]
  /** Logs of transactions that are more than one reading takes. */
  readonly left: readonly RpcTransfer[]
}

/** What one reading asks for and writes, at most, so that a block full of dust delays no payment for long. */
const transactionsPerReading = 1_000
const transfersPerReading = 5_000

/**
 * Completes logs to transactions: calldata, receipt and block, all agreeing with each other. Of more than one reading
 * takes, the transactions with the fewest transfers come first, and of those the most valuable: who wants to delay a
 * payment has to send more than it.
 *
 * @param read.isKnown whether a log is stored, or its transaction set aside
 */
export async function scan(
  rpc: Pick<Rpc, 'transaction' | 'receipt' | 'headerByHash'>,
  read: {
    logs: readonly RpcTransfer[]
    isKnown: (log: RpcTransfer) => boolean
    wallets: ReadonlySet<Address>
    window: Window
  },
): Promise<Scanned> {
  const unknown = read.logs.filter((log) => !read.isKnown(log))
  const unread = [...Map.groupBy(unknown, (log) => log.txHash)]
    .map(([txHash, logs]): Unread => ({ txHash, logs }))
    .sort(byUrgency)
  const taken = takenOf(unread)
  const left = unread.slice(taken.length).flatMap(({ logs }) => logs)

  const transactions: ScannedTransaction[] = []
  const unreadable: Unreadable[] = []
  await Promise.all(
    taken.map(async ({ txHash, logs: [log] }) => {
      if (!log) return
      try {
        transactions.push(await complete(rpc, log, read))
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        const { blockNumber, blockHash } = log
        unreadable.push({ txHash, blockNumber, blockHash, error })
      }
    }),
  )
  return { transactions: transactions.sort(byPlace), unreadable, left }
}

/**
 * Reads one transaction whole. The receipt, not the query, says which transfers it has: which of them a reference pays
 * must not depend on which of them a provider happened to return first.
 *
 * @throws {RpcError} when the provider's answers contradict each other; reading the same blocks again settles it
 */
export async function complete(
  rpc: Pick<Rpc, 'transaction' | 'receipt' | 'headerByHash'>,
  log: Pick<RpcTransfer, 'txHash' | 'blockNumber' | 'blockHash'>,
  { wallets, window }: { wallets: ReadonlySet<Address>; window: Window },
): Promise<ScannedTransaction> {
  const [sent, receipt, header] = await Promise.all([
    rpc.transaction(log.txHash),
    rpc.receipt(log.txHash),
    headerOf(rpc, window, log),
  ])
  if (!sent || !receipt || receipt.blockHash !== log.blockHash) {
    throw contradiction(`a log of transaction ${log.txHash} but not the transaction`)
  }
  const transfers = receipt.transfers.filter((transfer) => wallets.has(transfer.to))
  return { ...sent, txHash: log.txHash, header, transfers }
}

function byUrgency(a: Unread, b: Unread): number {
  if (a.logs.length !== b.logs.length) return a.logs.length - b.logs.length
  const [ofA, ofB] = [worthOf(a), worthOf(b)]
  return ofA === ofB ? 0 : ofA > ofB ? -1 : 1
}

function worthOf({ logs }: Unread): bigint {
  return logs.reduce((sum, { amount }) => sum + amount, 0n)
}

/** The first is taken however large it is. */
function takenOf(unread: readonly Unread[]): readonly Unread[] {
  let transfers = 0
  const past = unread.findIndex(({ logs }, index) => {
    transfers += logs.length
    return index > 0 && (index >= transactionsPerReading || transfers > transfersPerReading)
  })
  return past < 0 ? unread : unread.slice(0, past)
}

async function headerOf(
  rpc: Pick<Rpc, 'headerByHash'>,
  window: Window,
  log: Pick<RpcTransfer, 'blockNumber' | 'blockHash'>,
): Promise<Header> {
  const canonical = window.get(log.blockNumber)
  if (canonical && canonical.hash !== log.blockHash) {
    throw contradiction(`a log of block ${log.blockHash}, which is not canonical`)
  }
  const header = canonical ?? (await rpc.headerByHash(log.blockHash))
  if (!header) throw contradiction(`a log of block ${log.blockHash} but not the block`)
  return header
}

/** In the order of the chain. */
function byPlace(a: ScannedTransaction, b: ScannedTransaction): number {
  if (a.header.number !== b.header.number) return a.header.number < b.header.number ? -1 : 1
  return (a.transfers[0]?.logIndex ?? 0) - (b.transfers[0]?.logIndex ?? 0)
}

function contradiction(what: string): RpcError {
  return new RpcError('contradiction', `The RPC returned ${what}.`)
}
