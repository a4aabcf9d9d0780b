import type { Hex } from 'viem'
import type { Outstanding } from '../db/relay/transactions.ts'
import type { RelayContext } from './context.ts'
import type { GasPrice } from './fees.ts'
import type { Memory } from './memory.ts'
import type { Receipt, RelayRpc } from './relayRpc.ts'
import { type Fate, fateOf, type Slot, slotsOf } from './settle.ts'

/** What one pass was shown by the chain. */
export type Seen = {
  readonly head: { readonly number: bigint; readonly timestamp: number }
  readonly price: GasPrice
  readonly balance: bigint
  /** The least nonce that no mined transaction of the key has. */
  readonly nextNonce: number
  /** The same, with those that the node has not mined yet. */
  readonly pendingNonce: number
  readonly slots: readonly { readonly slot: Slot; readonly fate: Fate }[]
  /** Own slots that wait for too long, or for too little. */
  readonly stuck: readonly {
    readonly slot: Slot
    /** It moves no money any more: its authorization is used, expired or ended. */
    readonly isDead: boolean
  }[]
  /** To be sent, again or for the first time since this process began. */
  readonly unsent: readonly Outstanding[]
}

/** A transaction that is not mined by then is sent again, or replaced. Blocks come every two seconds. */
const patienceBlocks = 3n

/** @throws {RpcError} */
export async function readChain(
  { facts, signer, confirmations }: RelayContext,
  rpc: RelayRpc,
  { outstanding, memory }: { outstanding: readonly Outstanding[]; memory: Memory },
): Promise<Seen> {
  const hashes = outstanding.map(({ txHash }) => txHash)
  const [head, price, balance, nextNonce, pendingNonce, ...found] = await Promise.all([
    rpc.head(),
    rpc.price(facts.chainId),
    rpc.balance(signer.address),
    rpc.transactionCount(signer.address, 'latest'),
    rpc.transactionCount(signer.address, 'pending'),
    ...hashes.map((hash) => rpc.receipt(hash)),
  ])
  const receipts = new Map<Hex, Receipt | null>(
    hashes.map((hash, index) => [hash, found[index] ?? null]),
  )
  const isOwn = ({ relayer }: Slot) => relayer === signer.address
  const slots = slotsOf(outstanding)
  const isMined = ({ transactions }: Slot) => transactions.some((one) => receipts.get(one.txHash))
  const gone = slots.filter((slot) => isOwn(slot) && slot.nonce < nextNonce && !isMined(slot))
  const deepBlock = head.number - BigInt(confirmations) + 1n
  const deepNonce =
    gone.length > 0 && deepBlock >= 0n ? await rpc.transactionCount(signer.address, deepBlock) : 0
  const isTaken = (slot: Slot) => {
    const [first] = slot.transactions
    // A key that was given up: what its transactions were for is over.
    if (!isOwn(slot)) return !first.authorization?.isInFlight
    if (!gone.includes(slot) || slot.nonce >= deepNonce) return false
    const wasMissing = memory.missing.has(first.txHash)
    memory.missing.add(first.txHash)
    return wasMissing
  }
  const fates = slots.map((slot) => {
    const seen = { receipts, head: head.number, confirmations, isTaken: isTaken(slot) }
    return { slot, fate: fateOf(slot, seen) }
  })
  for (const { slot, fate } of fates) forget(memory, slot, fate)
  const waits = (transaction: Outstanding) => {
    const sentAt = memory.sent.get(transaction.txHash)
    return sentAt !== undefined && head.number - sentAt < patienceBlocks
  }
  const pending = fates.filter(({ fate }) => fate.type === 'pending').map(({ slot }) => slot)
  const late = pending.filter(({ relayer, nonce, transactions }) => {
    const newest = newestOf(transactions)
    if (relayer !== signer.address || nonce < nextNonce) return false
    if (memory.underpriced.has(newest.txHash)) return true
    if (waits(newest) || !memory.sent.has(newest.txHash)) return false
    return nonce === nextNonce || newest.maxFeePerGas < price.base + price.tip
  })
  const stuck = await Promise.all(
    late.map(async (slot) => ({ slot, isDead: await isDead(rpc, slot, head.timestamp) })),
  )
  const unsent = pending
    .map(({ transactions }) => newestOf(transactions))
    .filter((newest) => !waits(newest))
  return { head, price, balance, nextNonce, pendingNonce, slots: fates, stuck, unsent }
}

/** What is over needs no memory; what the chain took back is sent again at once. */
function forget(memory: Memory, { transactions }: Slot, { type }: Fate): void {
  if (type === 'mined') return
  for (const { txHash, state } of transactions) {
    if (type === 'pending' && state === 'pending') continue
    memory.sent.delete(txHash)
    memory.underpriced.delete(txHash)
    if (type !== 'pending') memory.missing.delete(txHash)
  }
}

export function newestOf(transactions: Slot['transactions']): Outstanding {
  return transactions.at(-1) ?? transactions[0]
}

async function isDead(rpc: RelayRpc, { transactions }: Slot, now: number): Promise<boolean> {
  const { authorization } = newestOf(transactions)
  if (!authorization) return true
  const { isInFlight, validBefore } = authorization
  return !isInFlight || validBefore <= now || rpc.isUsed(authorization)
}
