import type { Hex } from 'viem'
import { RpcError } from '../../chain/rpc/rpcError.ts'
import type { Outstanding } from '../../store/relaying/transactions.ts'
import type { GasPrice } from '../account/fees.ts'
import type { Receipt, RelayRpc } from '../account/relayRpc.ts'
import type { RelayContext } from '../relayContext.ts'
import type { Memory } from './memory.ts'
import { groupByNonce, type NonceGroup, outcomeOf, type TransactionOutcome } from './nonceGroups.ts'

/** The chain as one cycle sees it. */
export type ChainSnapshot = {
  readonly head: { readonly number: bigint; readonly timestamp: number }
  readonly price: GasPrice
  readonly balance: bigint
  /** The least nonce that no mined transaction of the key has. */
  readonly nextNonce: number
  /** The same, with those that the node has not mined yet. */
  readonly pendingNonce: number
  readonly groups: readonly { readonly group: NonceGroup; readonly outcome: TransactionOutcome }[]
  /** Nonces of our own key that wait for too long, or for too little. */
  readonly stuck: readonly {
    readonly group: NonceGroup
    /** It moves no money any more: its authorization is used, expired or ended. */
    readonly isDead: boolean
  }[]
  /** To be sent, again or for the first time since this process began. */
  readonly unsent: readonly Outstanding[]
}

/** A transaction that is not mined by then is sent again, or replaced. Blocks come every two seconds. */
const patienceBlocks = 3n

/**
 * Reads the relayer's account and what became of its transactions. What fails for one transaction leaves that one undecided.
 *
 * @throws {RpcError} when the provider does not answer at all
 */
export async function readAccount(
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
  for (const { group, outcome } of groups) forget(memory, group, outcome)
  const waits = (transaction: Outstanding) => {
    const sentAt = memory.sent.get(transaction.txHash)
    return sentAt !== undefined && head.number - sentAt < patienceBlocks
  }
  const pending = groups
    .filter(({ outcome }) => outcome.type === 'pending')
    .map((item) => item.group)
  const late = pending.filter(({ relayer, nonce, transactions }) => {
    const newest = newestOf(transactions)
    if (relayer !== signer.address || nonce < nextNonce) return false
    if (memory.underpriced.has(newest.txHash)) return true
    if (waits(newest) || !memory.sent.has(newest.txHash)) return false
    return nonce === nextNonce || newest.maxFeePerGas < price.base + price.tip
  })
  const stuck = await Promise.all(
    late.map(async (group) => ({ group, isDead: await isDead(rpc, group, head.timestamp) })),
  )
  const unsent = pending
    .map(({ transactions }) => newestOf(transactions))
    .filter((newest) => !waits(newest))
  return { head, price, balance, nextNonce, pendingNonce, groups, stuck, unsent }
}

/** Leaves out those that cannot be read. */
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
  const isOfRelayer = ({ relayer }: NonceGroup) => relayer === signer.address
  const hasNone = ({ transactions }: NonceGroup) =>
    transactions.every(({ txHash }) => receipts.get(txHash) === null)
  const vanished = groups.filter(
    (group) => isOfRelayer(group) && group.nonce < nextNonce && hasNone(group),
  )
  const deepBlock = head.number - BigInt(confirmations) + 1n
  const deepNonce =
    vanished.length > 0 && deepBlock >= 0n
      ? await rpc.transactionCount(signer.address, deepBlock)
      : 0
  const isNonceUsed = (group: NonceGroup) => {
    const [first] = group.transactions
    // A key that was given up: what its transactions were for is over.
    if (!isOfRelayer(group)) return !first.authorization?.isInFlight
    if (!vanished.includes(group) || group.nonce >= deepNonce) return false
    const wasMissing = memory.missing.has(first.txHash)
    memory.missing.add(first.txHash)
    return wasMissing
  }
  return groups.map((group) => {
    const facts = { receipts, head: head.number, confirmations, isNonceUsed: isNonceUsed(group) }
    return { group, outcome: outcomeOf(group, facts) }
  })
}

/** Forgets transactions that are over; those that the chain took back are sent again at once. */
function forget(memory: Memory, { transactions }: NonceGroup, { type }: TransactionOutcome): void {
  if (type === 'mined' || type === 'unknown') return
  for (const { txHash, state } of transactions) {
    if (type === 'pending' && state === 'pending') continue
    memory.sent.delete(txHash)
    memory.underpriced.delete(txHash)
    if (type !== 'pending') memory.missing.delete(txHash)
  }
}

export function newestOf(transactions: NonceGroup['transactions']): Outstanding {
  return transactions.at(-1) ?? transactions[0]
}

async function isDead(rpc: RelayRpc, { transactions }: NonceGroup, now: number): Promise<boolean> {
  const { authorization } = newestOf(transactions)
  if (!authorization) return true
  const { isInFlight, validBefore } = authorization
  if (!isInFlight || validBefore <= now) return true
  // If that cannot be read, the same call takes the nonce again.
  return (await rpc.isUsed(authorization).catch(unlessRpcError)) ?? false
}

/** A transaction that cannot be read is left to the next cycle. */
function unlessRpcError(error: unknown): undefined {
  if (!(error instanceof RpcError)) throw error
}
