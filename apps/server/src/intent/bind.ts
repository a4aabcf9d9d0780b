import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'

/** One Transfer log to a watched wallet. Addresses and hashes are lower-case. */
export type TransferLog = {
  readonly logIndex: number
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
  /** Sent in a token that payers mistake for USDC. */
  readonly wrongToken?: boolean
}

/** All that one transaction holds of interest. */
export type ObservedTransaction = {
  readonly input: Hex
  readonly blockNumber: bigint
  /** Of its block, Unix seconds. */
  readonly timestamp: number
  /** In the order of their log indexes. */
  readonly transfers: readonly TransferLog[]
}

/** A transfer call found in calldata, with the 32 bytes that follow its arguments. */
export type ReferencedCall = {
  readonly to: Address
  readonly amount: bigint
  readonly reference: Hex
}

/** What is known of the intents that a transaction could be for. */
export type Candidates = {
  /** Intents of this chain by `payment_reference`. */
  readonly byReference: ReadonlyMap<Hex, { readonly id: string; readonly wallet: Address }>
  /** What a merchant assigned this very transaction's transfers to, one each, under {@link announcedKey}. */
  readonly assigned: ReadonlyMap<string, readonly string[]>
  /** Wallets that no merchant keeps, with every intent that asks for payment to them. */
  readonly byAddress: ReadonlyMap<Address, readonly Claim[]>
  /** Intents by the amount reserved for them, under {@link payableKey}. */
  readonly byPayable: ReadonlyMap<string, Claim>
  /** The same, for the other chain of this mode. */
  readonly onSibling: ReadonlySet<string>
  /** Payers that announced a payment to a reference-only intent, under {@link announcedKey}. */
  readonly announced: ReadonlySet<string>
}

/** An intent that waits for money. */
export type Claim = {
  readonly id: string
  /** The first block that counts for it; where nobody followed the chain at its creation, the first timestamp. */
  readonly since: { type: 'block'; number: bigint } | { type: 'time'; timestamp: number }
  /** The transaction was read before the intent was created, in whatever block. */
  readonly seenBefore: boolean
}

export type Rail = 'assignment' | 'reference' | 'address' | 'payable_amount'

/**
 * Why a transfer is nobody's: no intent asks for it; one does since later; its payer is about to pay another
 * intent of this amount; it is a token that is not USDC; an intent asks for it on the other chain.
 */
export type UnmatchedReason =
  | 'no_intent'
  | 'before_intent'
  | 'ambiguous'
  | 'wrong_token'
  | 'wrong_chain'

export type Binding =
  | { type: 'bound'; intentId: string; by: Rail }
  | { type: 'unmatched'; reason: UnmatchedReason }

/**
 * Binds each transfer of one transaction to at most one intent: by the merchant's own assignment, else by
 * reference, by a wallet that is one intent's alone, by the exact payable amount, else not at all.
 * A reference consumes one matching log; calldata alone credits nothing.
 *
 * @returns one binding a transfer, in the same order
 */
export function bind(transaction: ObservedTransaction, candidates: Candidates): Binding[] {
  const { byReference, byAddress, byPayable, announced, onSibling } = candidates
  const calls = referencedCalls(transaction).filter(
    (call) => byReference.get(call.reference)?.wallet === call.to,
  )
  const assigned = new Map([...candidates.assigned].map(([key, ids]) => [key, [...ids]]))
  const isInTime = (claim: Claim) => !claim.seenBefore && hasBegun(claim, transaction)

  return transaction.transfers.map((transfer): Binding => {
    const { from, to, amount } = transfer
    const key = payableKey(to, amount)
    if (transfer.wrongToken) return { type: 'unmatched', reason: 'wrong_token' }
    const assignee = assigned.get(announcedKey(from, to, amount))?.shift()
    if (assignee) return { type: 'bound', intentId: assignee, by: 'assignment' }

    const index = calls.findIndex((call) => call.to === to && call.amount === amount)
    if (index >= 0) {
      const [call] = calls.splice(index, 1)
      const intent = call && byReference.get(call.reference)
      if (intent) return { type: 'bound', intentId: intent.id, by: 'reference' }
    }

    const [alone, ...others] = (byAddress.get(to) ?? []).filter(isInTime)
    if (alone && others.length === 0) return { type: 'bound', intentId: alone.id, by: 'address' }

    // That payer is about to pay an intent that shares this amount: whose it is cannot be known.
    if (announced.has(announcedKey(from, to, amount))) {
      return { type: 'unmatched', reason: 'ambiguous' }
    }
    const holder = byPayable.get(key)
    if (holder && isInTime(holder)) {
      return { type: 'bound', intentId: holder.id, by: 'payable_amount' }
    }
    if (holder) return { type: 'unmatched', reason: 'before_intent' }
    return { type: 'unmatched', reason: onSibling.has(key) ? 'wrong_chain' : 'no_intent' }
  })
}

function hasBegun({ since }: Claim, block: { blockNumber: bigint; timestamp: number }): boolean {
  return since.type === 'block'
    ? block.blockNumber >= since.number
    : block.timestamp >= since.timestamp
}

/**
 * Every `transfer(to, amount)` call with 32 bytes behind it, anywhere in the input, that fits one of the
 * transaction's own transfers: whether called directly or from inside a smart account's bundle.
 */
export function referencedCalls(
  transaction: Pick<ObservedTransaction, 'input' | 'transfers'>,
): ReferencedCall[] {
  const shapes = new Map(
    transaction.transfers.map((transfer) => [callData(transfer.to, transfer.amount), transfer]),
  )
  const found: (ReferencedCall & { at: number })[] = []
  for (const [call, { to, amount }] of shapes) {
    let at = transaction.input.indexOf(call)
    while (at >= 0) {
      const reference = transaction.input.slice(at + call.length, at + call.length + 64)
      // An odd offset is a coincidence across bytes, not a call.
      if (at % 2 === 0 && reference.length === 64) {
        found.push({ at, to, amount, reference: `0x${reference}` })
      }
      at = transaction.input.indexOf(call, at + 1)
    }
  }
  return found.sort((a, b) => a.at - b.at)
}

export function payableKey(wallet: Address, amount: bigint): string {
  return `${wallet}:${amount}`
}

export function announcedKey(payer: Address, wallet: Address, amount: bigint): string {
  return `${payer}:${wallet}:${amount}`
}

function callData(to: Address, amount: bigint): string {
  return `a9059cbb${to.slice(2).padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`
}
