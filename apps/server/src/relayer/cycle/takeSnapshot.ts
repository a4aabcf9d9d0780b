import type { Hex } from 'viem'
import { RpcError } from '../../chain/rpc/rpcError.ts'
import type { Outstanding } from '../../store/relaying/transactions.ts'
import type { RelayContext } from '../relayContext.ts'
import type { GasPrice } from '../rpc/fees.ts'
import type { Receipt, RelayRpc } from '../rpc/relayRpc.ts'
import {
  groupByNonce,
  highestFeeOf,
  type NonceGroup,
  outcomeOf,
  type TransactionOutcome,
} from './nonceGroups.ts'
import type { Memory } from './relayerMemory.ts'

/** The state of the chain, the relayer's account and its transactions in one cycle. */
export type ChainSnapshot = {
  readonly head: { readonly number: bigint; readonly timestamp: number }
  readonly price: GasPrice
  readonly balance: bigint
  /** Transaction count at `latest`. */
  readonly nextNonce: number
  /** Transaction count at `pending`. */
  readonly pendingNonce: number
  readonly groups: readonly { readonly group: NonceGroup; readonly outcome: TransactionOutcome }[]
  /**
   * Pending nonces of the current key: a node refused the fees, or the transaction was sent three blocks ago and is the
   * next to be mined or below the price.
   */
  readonly needsReplacement: readonly {
    readonly group: NonceGroup
    /** The authorization is used, expired or ended, so that the call would move no money. */
    readonly isObsolete: boolean
  }[]
  /** The transaction with the highest fee of each pending nonce, unless it was sent recently. */
  readonly toBroadcast: readonly Outstanding[]
}

/** The number of blocks after which a pending transaction is sent again or replaced. */
const resendAfterBlocks = 3n

/**
 * Reads the relayer's account and the receipts of its transactions. Decides the outcomes of the transactions, and which
 * of them are sent again or need a replacement. If a read about a transaction fails, only this transaction stays
 * undecided.
 *
 * @throws {RpcError} if the provider does not respond at all
 */
export async function takeSnapshot(
  context: RelayContext,
  rpc: RelayRpc,
  { outstanding, memory }: { outstanding: readonly Outstanding[]; memory: Memory },
): Promise<ChainSnapshot> {
  const { facts, signer } = context
  const [head, price, balance, nextNonce, pendingNonce, receipts] = await Promise.all([
    rpc.head(),
    rpc.price(facts.chainId),
    rpc.balance(signer.address),
    rpc.transactionCount(signer.address, 'latest'),
    rpc.transactionCount(signer.address, 'pending'),
    readReceipts(rpc, outstanding),
  ])
  const account = { head, nextNonce, receipts }
  const groups = await readOutcomes(context, rpc, { outstanding, memory, ...account })
  for (const { group, outcome } of groups) forgetSends(memory, group, outcome)
  const wasSentRecently = (transaction: Outstanding) => {
    const sentAt = memory.sent.get(transaction.txHash)
    return sentAt !== undefined && head.number - sentAt < resendAfterBlocks
  }
  const pending = groups
    .filter(({ outcome }) => outcome.type === 'pending')
    .map((item) => item.group)
  const overdue = pending.filter(({ relayer, nonce, transactions }) => {
    const newest = highestFeeOf(transactions)
    if (relayer !== signer.address || nonce < nextNonce) return false
    if (memory.underpriced.has(newest.txHash)) return true
    if (wasSentRecently(newest) || !memory.sent.has(newest.txHash)) return false
    return nonce === nextNonce || newest.maxFeePerGas < price.base + price.tip
  })
  const needsReplacement = await Promise.all(
    overdue.map(async (group) => ({
      group,
      isObsolete: await isObsolete(rpc, group, head.timestamp),
    })),
  )
  const toBroadcast = pending
    .map(({ transactions }) => highestFeeOf(transactions))
    .filter((newest) => !wasSentRecently(newest))
  return { head, price, balance, nextNonce, pendingNonce, groups, needsReplacement, toBroadcast }
}

/** Reads the receipts. Leaves out those that cannot be read. */
async function readReceipts(
  rpc: RelayRpc,
  outstanding: readonly Outstanding[],
): Promise<ReadonlyMap<Hex, Receipt | null>> {
  const receipts = await Promise.all(
    outstanding.map(async ({ txHash }) => {
      const receipt = await rpc.receipt(txHash).catch(unlessRpcError)
      return receipt === undefined ? [] : [[txHash, receipt] as const]
    }),
  )
  return new Map(receipts.flat())
}

async function readOutcomes(
  { signer, confirmations }: RelayContext,
  rpc: RelayRpc,
  input: {
    outstanding: readonly Outstanding[]
    memory: Memory
    head: ChainSnapshot['head']
    nextNonce: number
    receipts: ReadonlyMap<Hex, Receipt | null>
  },
): Promise<ChainSnapshot['groups']> {
  const { outstanding, memory, head, nextNonce, receipts } = input
  const groups = groupByNonce(outstanding)
  const hasCurrentKey = ({ relayer }: NonceGroup) => relayer === signer.address
  const hasNone = ({ transactions }: NonceGroup) =>
    transactions.every(({ txHash }) => receipts.get(txHash) === null)
  const withoutReceipt = groups.filter(
    (group) => hasCurrentKey(group) && group.nonce < nextNonce && hasNone(group),
  )
  const deepBlock = head.number - BigInt(confirmations) + 1n
  const deepNonce =
    withoutReceipt.length > 0 && deepBlock >= 0n
      ? await rpc.transactionCount(signer.address, deepBlock)
      : 0
  const isNonceUsed = (group: NonceGroup) => {
    const [first] = group.transactions
    // A nonce of a former key counts as used once its authorization has ended.
    if (!hasCurrentKey(group)) return !first.authorization?.isInFlight
    if (!withoutReceipt.includes(group) || group.nonce >= deepNonce) return false
    const wasMissing = memory.usedWithoutReceipt.has(first.txHash)
    memory.usedWithoutReceipt.add(first.txHash)
    return wasMissing
  }
  return groups.map((group) => {
    const facts = { receipts, head: head.number, confirmations, isNonceUsed: isNonceUsed(group) }
    return { group, outcome: outcomeOf(group, facts) }
  })
}

/** Forgets the sends of ended transactions, and of those that a reorg removed: these are sent again at once. */
function forgetSends(
  memory: Memory,
  { transactions }: NonceGroup,
  { type }: TransactionOutcome,
): void {
  if (type === 'mined' || type === 'unknown') return
  for (const { txHash, state } of transactions) {
    if (type === 'pending' && state === 'pending') continue
    memory.sent.delete(txHash)
    memory.underpriced.delete(txHash)
    if (type !== 'pending') memory.usedWithoutReceipt.delete(txHash)
  }
}

async function isObsolete(
  rpc: RelayRpc,
  { transactions }: NonceGroup,
  now: number,
): Promise<boolean> {
  const { authorization } = highestFeeOf(transactions)
  if (!authorization) return true
  const { isInFlight, validBefore } = authorization
  if (!isInFlight || validBefore <= now) return true
  // If this cannot be read, the replacement makes the same call.
  return (await rpc.isUsed(authorization).catch(unlessRpcError)) ?? false
}

/** @returns undefined, so that the transaction stays undecided until the next cycle */
function unlessRpcError(error: unknown): undefined {
  if (!(error instanceof RpcError)) throw error
}
