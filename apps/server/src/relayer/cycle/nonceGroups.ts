import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { Outstanding, TransactionUpdate } from '../../store/relaying/transactions.ts'
import type { Receipt } from '../rpc/relayRpc.ts'

/** The transactions of a key and nonce, the highest fee last. At most one of them is mined. */
export type NonceGroup = {
  readonly relayer: Address
  readonly nonce: number
  readonly transactions: readonly [Outstanding, ...Outstanding[]]
}

/** The chain's view of the transactions of a nonce. */
export type TransactionOutcome =
  | {
      readonly type: 'mined' | 'final'
      readonly transaction: Outstanding
      readonly receipt: Receipt
    }
  /** A transaction of another program with the key has used the nonce finally: the rows become `dropped`. */
  | { readonly type: 'taken' }
  | { readonly type: 'pending' }
  /** A receipt could not be read: nothing is decided in this cycle. */
  | { readonly type: 'unknown' }

/** @param outstanding by fee, as `readOutstanding` returns them */
export function groupByNonce(outstanding: readonly Outstanding[]): NonceGroup[] {
  const groups = new Map<string, [Outstanding, ...Outstanding[]]>()
  for (const item of outstanding) {
    const name = `${item.relayer}:${item.nonce}`
    const group = groups.get(name)
    if (group) group.push(item)
    else groups.set(name, [item])
  }
  return [...groups.values()].map((transactions) => {
    const [{ relayer, nonce }] = transactions
    return { relayer, nonce, transactions }
  })
}

export function highestFeeOf(transactions: NonceGroup['transactions']): Outstanding {
  return transactions.at(-1) ?? transactions[0]
}

/** Decides the outcome by the receipts of the transactions or, without any, by whether the nonce was used. */
export function outcomeOf(
  { transactions }: NonceGroup,
  {
    receipts,
    head,
    confirmations,
    isNonceUsed,
  }: {
    /** By transaction hash. null: the node has none; absent: it could not be read. */
    readonly receipts: ReadonlyMap<Hex, Receipt | null>
    /** The number of the newest block. */
    readonly head: bigint
    readonly confirmations: number
    /** Whether the nonce was used in a final block. */
    readonly isNonceUsed: boolean
  },
): TransactionOutcome {
  for (const transaction of transactions) {
    const receipt = receipts.get(transaction.txHash)
    if (!receipt) continue
    const depth = head - receipt.blockNumber + 1n
    const type = depth >= BigInt(confirmations) ? 'final' : 'mined'
    return { type, transaction, receipt }
  }
  if (transactions.some(({ txHash }) => !receipts.has(txHash))) return { type: 'unknown' }
  return { type: isNonceUsed ? 'taken' : 'pending' }
}

/**
 * The changes of a nonce's rows. A row that was mined above `head`, the provider's newest block, stays: the provider
 * cannot know its block yet.
 */
export function updatesOf(
  { transactions }: NonceGroup,
  outcome: TransactionOutcome,
  head: bigint,
): TransactionUpdate[] {
  if (outcome.type === 'unknown') return []
  if (outcome.type === 'taken')
    return transactions.map(({ txHash }) => withoutBlock(txHash, 'dropped'))
  if (outcome.type === 'pending') {
    return transactions
      .filter(({ state, blockNumber }) => state === 'mined' && (blockNumber ?? 0n) <= head)
      .map(({ txHash }) => withoutBlock(txHash, 'pending'))
  }
  const { transaction, receipt, type } = outcome
  const isRecorded =
    type === 'mined' &&
    transaction.state === 'mined' &&
    transaction.blockNumber === receipt.blockNumber
  const mined = isRecorded ? [] : [{ txHash: transaction.txHash, state: type, ...receipt }]
  const siblings = transactions.filter((outstanding) => outstanding !== transaction)
  if (type === 'final')
    return [...mined, ...siblings.map(({ txHash }) => withoutBlock(txHash, 'dropped'))]
  // A reorg removed the block in which a sibling was recorded as mined: the sibling is pending again.
  const reorged = siblings.filter(({ state }) => state === 'mined')
  return [...mined, ...reorged.map(({ txHash }) => withoutBlock(txHash, 'pending'))]
}

function withoutBlock(txHash: Hex, state: 'pending' | 'dropped'): TransactionUpdate {
  return { txHash, state, blockNumber: null, succeeded: null, cost: null }
}
