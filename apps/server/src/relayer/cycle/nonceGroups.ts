import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { Outstanding, Settled } from '../../store/relaying/transactions.ts'
import type { Receipt } from '../account/relayRpc.ts'

/** The transactions of one key and nonce, the one with the highest fees last: one of them at most is mined. */
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
  /** Another transaction has the nonce for good: the key is used elsewhere, too. */
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
    /** Without those that could not be read. */
    readonly receipts: ReadonlyMap<Hex, Receipt | null>
    readonly head: bigint
    readonly confirmations: number
    /** The nonce was used in a block so deep that it stays. */
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

/** The rows of a nonce that change. A provider that has not reached a block says nothing about it. */
export function changesOf(
  { transactions }: NonceGroup,
  outcome: TransactionOutcome,
  head: bigint,
): Settled[] {
  if (outcome.type === 'unknown') return []
  if (outcome.type === 'taken') return transactions.map(({ txHash }) => open(txHash, 'dropped'))
  if (outcome.type === 'pending') {
    return transactions
      .filter(({ state, blockNumber }) => state === 'mined' && (blockNumber ?? 0n) <= head)
      .map(({ txHash }) => open(txHash, 'pending'))
  }
  const { transaction, receipt, type } = outcome
  const isSent =
    type === 'mined' &&
    transaction.state === 'mined' &&
    transaction.blockNumber === receipt.blockNumber
  const mined = isSent ? [] : [{ txHash: transaction.txHash, state: type, ...receipt }]
  const siblings = transactions.filter((outstanding) => outstanding !== transaction)
  if (type === 'final') return [...mined, ...siblings.map(({ txHash }) => open(txHash, 'dropped'))]
  // The other of two was mined in a block that is gone.
  const replaced = siblings.filter(({ state }) => state === 'mined')
  return [...mined, ...replaced.map(({ txHash }) => open(txHash, 'pending'))]
}

function open(txHash: Hex, state: 'pending' | 'dropped'): Settled {
  return { txHash, state, blockNumber: null, succeeded: null, cost: null }
}
