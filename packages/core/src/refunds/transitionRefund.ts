import {
  type Address,
  type DestinationProof,
  type EventType,
  limits,
  type RefundRefusal,
} from '@payment-intents/contract'
import { checksummed } from '../lib/checksummed.ts'
import { presentInRefundEvent } from './presentRefund.ts'
import type { Refund, RefundTransfer } from './refund.ts'

/** Something that happened to a refund. */
export type RefundFact =
  /** The merchant names the destination. */
  | { readonly type: 'destination_named'; readonly destination: Address }
  /** The payer names the destination: proven by a signature of an account that paid, or not. */
  | {
      readonly type: 'destination_claimed'
      readonly destination: Address
      readonly proof: Exclude<DestinationProof, 'merchant'>
    }
  /** The merchant confirms the payer's claim. */
  | { readonly type: 'destination_confirmed'; readonly destination: Address }
  /** A registered wallet of the merchant has signed it. */
  | { readonly type: 'signed'; readonly from: Address }
  /** The merchant names a transaction that pays it. The transfer is in a canonical block. */
  | {
      readonly type: 'attached'
      readonly transfer: RefundTransfer
      readonly isFromVerified: boolean
    }
  /** The merchant cancels it. */
  | { readonly type: 'cancel' }
  /** A transfer with its nonce is in a canonical block. */
  | { readonly type: 'transfer_seen'; readonly transfer: RefundTransfer }
  /** Proof that its transfer's block is no longer canonical. */
  | { readonly type: 'transfer_orphaned'; readonly transferId: string }
  /**
   * The facts of a poll of the chain up to a block with the time `timestamp`: confirmations count from `blockNumber`;
   * null if it is unknown at the moment.
   */
  | {
      readonly type: 'head'
      readonly blockNumber: bigint | null
      /** Unix seconds. */
      readonly timestamp: number
      readonly proven: ReadonlySet<string>
    }

type RefusedRefund = {
  readonly type: 'refused'
  readonly reason: RefundRefusal | 'illegal_state'
  readonly message: string
}

type RefundOutcome =
  | { readonly type: 'unchanged' }
  /** Only merchant requests can be refused, not chain facts. */
  | RefusedRefund
  | { readonly type: 'changed'; readonly refund: Refund; readonly events: readonly EventType[] }

/**
 * Applies one fact to a refund. Pure.
 *
 * | from                               | when                                           | to                 |
 * |------------------------------------|------------------------------------------------|--------------------|
 * | requires_…                         | the merchant names a destination               | requires_signature |
 * | requires_destination, requires_confirmation | the payer proves a destination        | requires_signature |
 * | requires_destination, requires_confirmation | the payer claims a destination        | requires_confirmation |
 * | requires_confirmation              | the merchant confirms the destination          | requires_signature |
 * | requires_signature                 | a registered wallet signs it                   | pending            |
 * | requires_signature, pending        | a transfer that pays it is attached            | pending            |
 * | any                                | a transfer that its nonce names is in a block  | pending            |
 * | pending                            | the transfer is deep and proven                | succeeded          |
 * | pending, succeeded                 | the chain takes the transfer back              | pending            |
 * | pending                            | no signature and no transfer can pay it any more | requires_signature |
 * | requires_…                         | the merchant cancels                           | canceled           |
 */
function transitionRefund(refund: Refund, fact: RefundFact): RefundOutcome {
  switch (fact.type) {
    case 'destination_named':
      return destinationNamed(refund, fact.destination)
    case 'destination_claimed':
      return destinationClaimed(refund, fact)
    case 'destination_confirmed':
      return destinationConfirmed(refund, fact.destination)
    case 'signed':
      return signed(refund, fact.from)
    case 'attached':
      return attached(refund, fact)
    case 'cancel':
      return cancel(refund)
    case 'transfer_seen':
      return withTransfer(refund, fact.transfer)
    case 'transfer_orphaned':
      return transferOrphaned(refund, fact.transferId)
    case 'head':
      return headMoved(refund, fact)
  }
}

function destinationNamed(refund: Refund, destination: Address): RefundOutcome {
  const isConfirmed = refund.status !== 'requires_confirmation'
  if (refund.destination === destination && isConfirmed) return { type: 'unchanged' }
  const refusal = refusalOfChange(refund)
  if (refusal) return refusal
  return changed(
    refund,
    { destination, destinationProof: 'merchant', status: 'requires_signature' },
    ['refund.updated'],
  )
}

/** Whether the payer can name a destination, or replace it. */
export function canNameDestination({ status, sequence }: Refund): boolean {
  const isOpen = status === 'requires_destination' || status === 'requires_confirmation'
  return isOpen && sequence < limits.refundClaims
}

function destinationClaimed(
  refund: Refund,
  { destination, proof }: Extract<RefundFact, { type: 'destination_claimed' }>,
): RefundOutcome {
  const isSame = refund.destination === destination
  // A claim changes nothing that is proven or confirmed.
  if (isSame && (proof === 'payer_claim' || refund.status !== 'requires_confirmation')) {
    return { type: 'unchanged' }
  }
  if (!canNameDestination(refund)) {
    const message = 'The destination is fixed: only the merchant can change it.'
    return refused(refund.isSigned ? 'refund_in_flight' : 'illegal_state', message)
  }
  const status = proof === 'payer_signature' ? 'requires_signature' : 'requires_confirmation'
  return changed(refund, { destination, destinationProof: proof, status }, ['refund.updated'])
}

function destinationConfirmed(refund: Refund, destination: Address): RefundOutcome {
  if (refund.destination === null) {
    return refused(
      'illegal_state',
      'The refund has no destination to confirm: name it, or wait for the payer.',
    )
  }
  if (refund.destination !== destination) {
    const named = checksummed(refund.destination)
    return refused(
      'illegal_state',
      `The payer has named another destination, ${named}: verify and confirm that.`,
    )
  }
  if (refund.status !== 'requires_confirmation') return { type: 'unchanged' }
  return changed(refund, { status: 'requires_signature' }, ['refund.updated'])
}

function signed(refund: Refund, from: Address): RefundOutcome {
  if (refund.isSigned && refund.from === from) return { type: 'unchanged' }
  if (refund.isSigned) {
    return refused(
      'refund_in_flight',
      `${refund.from} has signed this refund; no other account can.`,
    )
  }
  const refusal = refusalOfPayment(refund)
  if (refusal) return refusal
  if (refund.attachedTxHash !== null) {
    const message = `The chain took back ${refund.attachedTxHash}, which was attached and may be mined again: attach it again, or cancel this refund.`
    return refused('refund_in_flight', message)
  }
  const change = { status: 'pending', from, isFromVerified: true, isSigned: true } as const
  return changed(refund, change, ['refund.pending'])
}

function attached(
  refund: Refund,
  { transfer, isFromVerified }: Extract<RefundFact, { type: 'attached' }>,
): RefundOutcome {
  if (refund.transfer?.id === transfer.id) return { type: 'unchanged' }
  if (refund.isSigned) {
    return refused(
      'refund_in_flight',
      'A signature may still pay this refund: wait until it is paid or the signature expires.',
    )
  }
  // Another transaction may replace a transaction that was attached by mistake.
  const refusal = refund.status === 'pending' ? null : refusalOfPayment(refund)
  if (refusal) return refusal
  const { from, txHash: attachedTxHash } = transfer
  const confirmations = 0
  const change = {
    status: 'pending',
    from,
    isFromVerified,
    attachedTxHash,
    transfer,
    confirmations,
  } as const
  return changed(refund, change, ['refund.pending'])
}

function cancel(refund: Refund): RefundOutcome {
  if (refund.status === 'canceled') return { type: 'unchanged' }
  return refusalOfChange(refund) ?? changed(refund, { status: 'canceled' }, ['refund.canceled'])
}

function withTransfer(refund: Refund, transfer: RefundTransfer): RefundOutcome {
  if (refund.transfer !== null) return { type: 'unchanged' }
  const change = { status: 'pending', transfer, from: transfer.from, confirmations: 0 } as const
  return changed(refund, change, refund.status === 'pending' ? [] : ['refund.pending'])
}

function transferOrphaned(refund: Refund, transferId: string): RefundOutcome {
  if (refund.transfer?.id !== transferId) return { type: 'unchanged' }
  const events = refund.status === 'succeeded' ? (['refund.reversed'] as const) : []
  const change = { status: 'pending', transfer: null, confirmations: 0, succeededAt: null } as const
  return changed(refund, change, events)
}

function headMoved(
  refund: Refund,
  { blockNumber, timestamp, proven }: Extract<RefundFact, { type: 'head' }>,
): RefundOutcome {
  const { status, transfer, isSigned, confirmationsRequired } = refund
  if (status !== 'pending') return { type: 'unchanged' }
  if (!transfer) {
    if (isSigned) return { type: 'unchanged' }
    const change = { status: 'requires_signature', from: null, isFromVerified: null } as const
    return changed(refund, change, ['refund.updated'])
  }
  if (blockNumber === null) return { type: 'unchanged' }
  const confirmations = Math.max(0, Number(blockNumber - transfer.blockNumber) + 1)
  if (confirmations >= confirmationsRequired && proven.has(transfer.id)) {
    const change = { status: 'succeeded', confirmations, succeededAt: timestamp * 1_000 } as const
    return changed(refund, change, ['refund.succeeded'])
  }
  // Without proof, show fewer confirmations than required.
  const shown = Math.min(confirmations, confirmationsRequired - 1)
  if (shown === refund.confirmations) return { type: 'unchanged' }
  return changed(refund, { confirmations: shown }, [])
}

/** Why nobody can pay it; null: somebody can. */
function refusalOfPayment({ status }: Refund): RefusedRefund | null {
  if (status === 'requires_signature') return null
  if (status === 'requires_destination') {
    return refused('illegal_state', 'The refund has no destination: name it first.')
  }
  if (status === 'requires_confirmation') {
    return refused('illegal_state', 'Confirm the destination first: the payer only claims it.')
  }
  return refused('illegal_state', `A refund that is ${status} is not paid again.`)
}

function refusalOfChange({ status, isSigned }: Refund): RefusedRefund | null {
  if (isSigned) {
    const message =
      'A signature may still pay this refund: wait until it is paid or the signature expires.'
    return refused('refund_in_flight', message)
  }
  if (status.startsWith('requires_')) return null
  return refused('illegal_state', `A refund that is ${status} cannot change.`)
}

function refused(reason: RefusedRefund['reason'], message: string): RefusedRefund {
  return { type: 'refused', reason, message }
}

function changed(refund: Refund, change: Partial<Refund>, events: readonly EventType[]) {
  const sequence = refund.sequence + events.length
  return { type: 'changed', refund: { ...refund, ...change, sequence }, events } as const
}

/** An event of a refund, with the refund after the fact that caused it. */
type RefundEvent = {
  readonly type: EventType
  readonly sequence: number
  /** JSON text of `data.object`. */
  readonly object: string
}

export type AppliedToRefund = {
  /** The refund after all facts. */
  readonly refund: Refund
  readonly changed: boolean
  readonly events: readonly RefundEvent[]
  /** Why the merchant's request was refused; null if it was not. */
  readonly refused: RefusedRefund | null
}

/** Applies facts to a refund in order: all of them, or none if one is refused. */
export function applyRefundFacts(refund: Refund, facts: readonly RefundFact[]): AppliedToRefund {
  let current = refund
  const events: RefundEvent[] = []
  for (const fact of facts) {
    const outcome = transitionRefund(current, fact)
    if (outcome.type === 'refused') {
      return { refund, changed: false, events: [], refused: outcome }
    }
    if (outcome.type === 'unchanged') continue
    const before = current.sequence
    current = outcome.refund
    const object = presentInRefundEvent(current)
    for (const [index, type] of outcome.events.entries()) {
      events.push({ type, sequence: before + index + 1, object })
    }
  }
  return { refund: current, changed: current !== refund, events, refused: null }
}
