import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import { authorizationKey } from '../authorizations/authorizationKey.ts'
import type { BoundBy } from '../payment-intents/intent.ts'
import { isDust } from '../payment-intents/payingTransfers.ts'
import type { ObservedTransaction, TransferLog } from './observedTransaction.ts'

/** The intents that a transaction could be for. */
export type Candidates = {
  /** Intents of this chain by `payment_reference`. */
  readonly byReference: ReadonlyMap<Hex, { readonly id: string; readonly wallet: Address }>
  /** Intents of authorizations that were submitted before they were used, by {@link authorizationKey}. */
  readonly byAuthorization: ReadonlyMap<string, { readonly id: string; readonly wallet: Address }>
  /** Intents to which the merchant assigned this transaction's transfers, one each, by {@link transferKey}. */
  readonly assigned: ReadonlyMap<string, readonly string[]>
  /** Intents to which this transaction's transfers were credited by price, in any block, by {@link transferKey}. */
  readonly pricedBefore: ReadonlyMap<string, readonly string[]>
  /** Wallets that are not a merchant's own, with the intents that request payment to them; two suffice. */
  readonly byAddress: ReadonlyMap<Address, readonly CandidateIntent[]>
  /** Intents by their reserved amount, by {@link payableKey}. */
  readonly byPayable: ReadonlyMap<string, CandidateIntent>
  /** Intents of the last seven days by their price, by {@link payableKey}; two suffice. */
  readonly byPrice: ReadonlyMap<string, readonly PricedIntent[]>
  /** Payable amounts that are reserved on other chains of this mode. */
  readonly onOtherChain: ReadonlySet<string>
}

/** An intent that a transfer may pay by its wallet or amount. */
export type CandidateIntent = {
  readonly id: string
  /** The first block that counts for it; if the chain was not followed at its creation, the first timestamp. */
  readonly since: { type: 'block'; number: bigint } | { type: 'time'; timestamp: number }
  /** The server read the transaction, in any block, before the intent existed. */
  readonly isNewer: boolean
}

/** An intent with the price that was sent. */
export type PricedIntent = CandidateIntent & {
  /** The merchant has set `match_plain_price` for this wallet. */
  readonly matchPlainPrice: boolean
  /** It requires payment and has received nothing. */
  readonly isUnpaid: boolean
  /** Unix seconds. */
  readonly expiresAt: number
}

/** Why a transfer is unmatched. */
export const unmatchedReasons = [
  /** No rule matches it to an intent. */
  'no_intent',
  /** An intent has its exact amount or its price, but did not exist before it. */
  'before_intent',
  /** Several intents match it, or its calldata names more intents than it pays. */
  'ambiguous',
  /** It differs from the amount of a suggested intent. */
  'amount_mismatch',
  /** The token is not USDC. */
  'wrong_token',
  /** An intent on another chain of this mode reserves its amount. */
  'wrong_chain',
] as const
export type UnmatchedReason = (typeof unmatchedReasons)[number]

export type Binding =
  | { type: 'bound'; intentId: string; by: BoundBy }
  | { type: 'unmatched'; reason: UnmatchedReason }

/** A transfer that was bound earlier but is not stored yet. */
export type Credit = {
  readonly intentId: string
  readonly amount: bigint
  readonly boundBy: BoundBy
}

/**
 * Matches each transfer of one transaction to at most one intent, by the first rule that applies, in the order of
 * `docs/payments.md`, "How a payment is matched to its intent", which numbers the rules.
 *
 * @param credited transfers of earlier transactions that the candidates do not include yet
 * @returns one binding per transfer, in the same order
 */
export function bind(
  transaction: Omit<ObservedTransaction, 'txHash'>,
  candidates: Candidates,
  credited: readonly Credit[] = [],
): Binding[] {
  const { byReference, byAuthorization, byAddress, byPayable, byPrice, onOtherChain } = candidates
  const assigned = new Map([...candidates.assigned].map(([key, ids]) => [key, [...ids]]))
  const pricedBefore = new Map([...candidates.pricedBefore].map(([key, ids]) => [key, [...ids]]))
  const { references, ambiguous } = validReferences(transaction, candidates)
  const existedBefore = (intent: CandidateIntent) =>
    !intent.isNewer && isCountedBlock(intent, transaction)
  const earlier = [...credited]

  function bindTransfer(transfer: TransferLog): Binding {
    const { from, to, amount, authorizationNonce } = transfer
    if (transfer.token !== transaction.token) return unmatched('wrong_token')
    // Rule 1
    const key = transferKey(from, to, amount)
    const assignedIntentId = assigned.get(key)?.shift()
    if (assignedIntentId) return bound(assignedIntentId, 'assignment')

    // Rule 2
    const byReferenceNonce = authorizationNonce && byReference.get(authorizationNonce)
    if (byReferenceNonce && byReferenceNonce.wallet === to) {
      return bound(byReferenceNonce.id, 'authorization')
    }

    // Rule 3
    const amountKey = payableKey(to, amount)
    const reservedBy = byPayable.get(amountKey)
    const bySubmittedNonce =
      authorizationNonce && byAuthorization.get(authorizationKey(from, authorizationNonce))
    // Strangers can submit authorizations that they saw elsewhere: the intent with the exact amount takes precedence.
    const isReservedByOther =
      reservedBy && reservedBy.id !== bySubmittedNonce?.id && existedBefore(reservedBy)
    if (bySubmittedNonce && bySubmittedNonce.wallet === to && !isReservedByOther) {
      return bound(bySubmittedNonce.id, 'authorization')
    }

    // Rule 4
    const reference = references.get(key)?.shift()
    const referenced = reference && byReference.get(reference)
    if (referenced) return bound(referenced.id, 'reference')

    // Rule 5
    const [only, ...others] = (byAddress.get(to) ?? []).filter(existedBefore)
    if (only && others.length === 0) return bound(only.id, 'address')

    // Rule 6
    if (reservedBy && existedBefore(reservedBy)) return bound(reservedBy.id, 'payable_amount')

    // Rule 7: the same transfer paid it before a reorg and was mined again.
    const before = pricedBefore.get(key)?.shift()
    if (before) return bound(before, 'price')

    // Rule 8
    const [priced, another] = byPrice.get(amountKey) ?? []
    if (priced?.matchPlainPrice && !another && existedBefore(priced)) {
      // Its payable amount is not known here. Like the price, it is never dust.
      const price = { amount, payable: amount }
      const isPaidNow = earlier.some(
        (credit) => credit.intentId === priced.id && !isDust(price, credit),
      )
      const isBeforeDeadline = transaction.timestamp <= priced.expiresAt
      if (priced.isUnpaid && !isPaidNow && isBeforeDeadline) return bound(priced.id, 'price')
    }
    const sameAmountIntent = reservedBy ?? (another ? undefined : priced)
    if (sameAmountIntent && !existedBefore(sameAmountIntent)) return unmatched('before_intent')
    if (another || ambiguous.has(key)) return unmatched('ambiguous')
    return unmatched(onOtherChain.has(amountKey) ? 'wrong_chain' : 'no_intent')
  }
  return transaction.transfers.map((transfer) => {
    const binding = bindTransfer(transfer)
    const { amount } = transfer
    if (binding.type === 'bound') {
      earlier.push({ intentId: binding.intentId, amount, boundBy: binding.by })
    }
    return binding
  })
}

/**
 * The references for the transfers of each {@link transferKey}, in the order they are consumed: distinct references
 * first, since calldata may contain a call more often than it is executed. None if there are more distinct references
 * than transfers.
 */
function validReferences(
  { token, calls, transfers }: Pick<ObservedTransaction, 'token' | 'calls' | 'transfers'>,
  { byReference }: Candidates,
): { references: ReadonlyMap<string, Hex[]>; ambiguous: ReadonlySet<string> } {
  const firstUses = new Map<string, Hex[]>()
  const repeats = new Map<string, Hex[]>()
  for (const { from, to, amount, reference } of calls) {
    if (byReference.get(reference)?.wallet !== to) continue
    const key = transferKey(from, to, amount)
    const isNew = !firstUses.get(key)?.includes(reference)
    const group = isNew ? firstUses : repeats
    group.set(key, [...(group.get(key) ?? []), reference])
  }
  const references = new Map<string, Hex[]>()
  const ambiguous = new Set<string>()
  for (const [key, distinct] of firstUses) {
    const equalTransfers = transfers.filter(
      (log) => log.token === token && transferKey(log.from, log.to, log.amount) === key,
    )
    if (distinct.length > equalTransfers.length) ambiguous.add(key)
    else references.set(key, [...distinct, ...(repeats.get(key) ?? [])])
  }
  return { references, ambiguous }
}

/** Whether a transfer in this block may pay the intent. */
function isCountedBlock(
  { since }: CandidateIntent,
  block: { blockNumber: bigint; timestamp: number },
): boolean {
  return since.type === 'block'
    ? block.blockNumber >= since.number
    : block.timestamp >= since.timestamp
}

export function payableKey(wallet: Address, amount: bigint): string {
  return `${wallet}:${amount}`
}

/** Transfers of one transaction with the same key are indistinguishable. */
export function transferKey(payer: Address, wallet: Address, amount: bigint): string {
  return `${payer}:${wallet}:${amount}`
}

function bound(intentId: string, by: BoundBy): Binding {
  return { type: 'bound', intentId, by }
}

function unmatched(reason: UnmatchedReason): Binding {
  return { type: 'unmatched', reason }
}
