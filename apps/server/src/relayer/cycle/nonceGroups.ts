import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { Outstanding, TransactionUpdate } from '../../store/relaying/transactions.ts'
import type { Receipt } from '../account/relayRpc.ts'

/** The transactions of a key and nonce, the highest fees last. At most one of them is mined. */
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
  /** A transaction from elsewhere used the nonce, for good: the key is used by another program, too. */
  | { readonly type: 'taken' }
  | { readonly type: 'pending' }
  /** A receipt could not be read: nothing is decided in this cycle. */
  | { readonly type: 'unknown' }

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

/** Receipts decide the outcome of a nonce. */
export function outcomeOf(
  group: NonceGroup,
  snapshot: {
    /** Receipts that could not be read are left out. */
    readonly receipts: ReadonlyMap<Hex, Receipt | null>
    readonly head: bigint
    readonly confirmations: number
    /** Whether the nonce was used in a block that is deep enough to stay. */
    readonly isNonceUsed: boolean
  },
): TransactionOutcome {
  for (const transaction of group.transactions) {
    const receipt = snapshot.receipts.get(transaction.txHash)
    if (!receipt) continue
    const depth = snapshot.head - receipt.blockNumber + 1n
    const type = depth >= BigInt(snapshot.confirmations) ? 'final' : 'mined'
    return { type, transaction, receipt }
  }
  if (group.transactions.some(({ txHash }) => !snapshot.receipts.has(txHash)))
    return { type: 'unknown' }
  return { type: snapshot.isNonceUsed ? 'taken' : 'pending' }
}

/** The rows of a nonce that change. A row above the provider's head stays: the provider cannot know its block yet. */
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
  // A sibling was recorded as mined in a block that a reorg removed: it is pending again.
  const reorged = siblings.filter(({ state }) => state === 'mined')
  return [...mined, ...reorged.map(({ txHash }) => withoutBlock(txHash, 'pending'))]
}

function withoutBlock(txHash: Hex, state: 'pending' | 'dropped'): TransactionUpdate {
  return { txHash, state, blockNumber: null, succeeded: null, cost: null }
}
