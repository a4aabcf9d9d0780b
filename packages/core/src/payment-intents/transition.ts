import type { EventType } from '@payment-intents/contract'
import { paidExceptions, unpaidExceptions } from './exceptions.ts'
import type { CreditedTransfer, Intent } from './intent.ts'
import { payingTransfers, received, withoutDust } from './payingTransfers.ts'
import { isPaid, isSettling } from './status.ts'

/** Something that happened, in chain order. */
export type Fact =
  /** A transfer bound to this intent is in a canonical block. */
  | { type: 'transfer_seen'; transfer: CreditedTransfer }
  /** Proof that a credited transfer's block is no longer canonical. */
  | { type: 'transfer_orphaned'; transferId: string }
  /**
   * The chain has been read up to a block with the time `timestamp`, Unix seconds. Confirmations count from `blockNumber`;
   * null if it is unknown at the moment. `proven` transfers have a successful receipt.
   */
  | { type: 'head'; blockNumber: bigint | null; timestamp: number; proven: ReadonlySet<string> }
  /** The merchant moves a credited transfer to another intent. */
  | { type: 'transfer_moved'; transferId: string }
  /** The merchant cancels the intent. */
  | {
      type: 'cancel'
      /** Whether a submitted authorization for it may still move money; false by default. */
      isInFlight?: boolean
    }
  /** The merchant settles for an underpaid or late payment. */
  | { type: 'accept' }
  /** The payment link of the intent has no place left. */
  | { type: 'link_used_up' }

/** Why a merchant's request is refused. */
export type Refusal = {
  readonly message: string
  readonly reason?: 'payment_in_flight'
}

export type Outcome =
  | { type: 'unchanged' }
  /** Only merchant requests can be refused, not chain facts. */
  | ({ type: 'refused' } & Refusal)
  /** `intent.sequence` counts all `events`. `applyFacts`, which drops repeated events, counts again. */
  | { type: 'changed'; intent: Intent; events: readonly EventType[] }

/**
 * Applies one fact to an intent. Pure: the time is the chain's timestamp in the fact.
 *
 * | from                 | when                                       | to                                          |
 * |----------------------|--------------------------------------------|---------------------------------------------|
 * | requires_payment     | on time, received ≥ amount                 | pending_confirmations                       |
 * | requires_payment     | on time, 0 < received < amount             | same, `underpaid`                           |
 * | requires_payment     | chain is past the deadline                 | expired                                     |
 * | requires_payment     | merchant cancels, nothing but dust received, no authorization in flight | canceled       |
 * | requires_payment, expired, canceled | merchant accepts what was received | pending_confirmations            |
 * | pending_confirmations| every counted transfer deep and proven     | succeeded                                   |
 * | pending_confirmations| a counted transfer is orphaned             | requires_payment, `reorged`                 |
 * | pending_confirmations, succeeded | more arrives than was needed               | same, `overpaid` or `multiple`              |
 * | requires_payment, expired | its payment link has no place left for it | canceled                                |
 * | any                  | dust arrives, or is orphaned               | same                                        |
 * | any                  | merchant moves away a transfer that did not pay it | same                               |
 * | expired, canceled    | a late transfer arrives                    | same, `late`                                |
 * | expired              | an on-time transfer is found, enough       | pending_confirmations                       |
 * | succeeded            | a counted transfer is orphaned             | same, `reorged`, reversed                   |
 * | succeeded, `reorged` | counted transfers are deep and proven again| same, `reorged` cleared, succeeded again    |
 */
export function transition(intent: Intent, fact: Fact): Outcome {
  switch (fact.type) {
    case 'transfer_seen':
      return withTransfer(intent, fact.transfer)
    case 'transfer_orphaned':
      return transferOrphaned(intent, fact.transferId)
    case 'head':
      return headMoved(intent, fact)
    case 'transfer_moved':
      return transferMoved(intent, fact.transferId)
    case 'cancel':
      return cancel(intent, fact.isInFlight ?? false)
    case 'accept':
      return accept(intent)
    case 'link_used_up':
      return linkUsedUp(intent)
  }
}

/** Cancels even after a part was received: the merchant can refund it. */
function linkUsedUp(intent: Intent): Outcome {
  if (intent.status !== 'requires_payment' && intent.status !== 'expired') {
    return { type: 'unchanged' }
  }
  const exceptions = unpaidExceptions({ ...intent, status: 'canceled' })
  return changed(intent, { status: 'canceled', exceptions }, ['payment_intent.canceled'])
}

function cancel(intent: Intent, isInFlight: boolean): Outcome {
  if (intent.status === 'canceled') return { type: 'unchanged' }
  if (intent.status !== 'requires_payment') {
    const advice = intent.status === 'expired' ? 'It has ended.' : 'Refund the payment instead.'
    const message = `A payment intent that is ${intent.status} cannot be canceled. ${advice}`
    return { type: 'refused', message }
  }
  if (received(intent) > 0n) {
    const message =
      'The payment intent has received money already: accept it, or let the payment intent expire.'
    return { type: 'refused', message }
  }
  if (isInFlight) {
    const message =
      'The payer has authorized the payment, which is in flight: wait until it is paid or expires.'
    return { type: 'refused', message, reason: 'payment_in_flight' }
  }
  return changed(intent, { status: 'canceled' }, ['payment_intent.canceled'])
}

function accept(intent: Intent): Outcome {
  if (isPaid(intent)) {
    return intent.accepted !== null
      ? { type: 'unchanged' }
      : {
          type: 'refused',
          message: 'The payment intent is paid already: there is nothing to accept.',
        }
  }
  if (received(intent) === 0n) {
    return {
      type: 'refused',
      message: 'The payment intent has received nothing: there is nothing to accept.',
    }
  }
  const coversPrice = received(intent) >= intent.amount
  // An overpayment is accepted for the price only, so that a reorg of the surplus does not leave it unpaid.
  const accepted = coversPrice ? intent.amount : received(intent)
  const { txHash } = lastOf(withoutDust(intent))
  return changed(intent, { status: 'pending_confirmations', accepted, txHash, confirmations: 0 }, [
    'payment_intent.pending_confirmations',
  ])
}

function withTransfer(intent: Intent, transfer: CreditedTransfer): Outcome {
  if (intent.transfers.some((credited) => credited.id === transfer.id)) return { type: 'unchanged' }
  const late = transfer.blockTimestamp > intent.expiresAt
  // A block past the deadline was read, so the deadline passed before this transfer.
  if (late && intent.status === 'requires_payment') {
    const expired = changed(intent, { status: 'expired' }, ['payment_intent.expired'])
    const outcome = withTransfer(expired.intent, transfer)
    if (outcome.type !== 'changed') return expired
    return { ...outcome, events: [...expired.events, ...outcome.events] }
  }

  const transfers = [...intent.transfers, transfer].sort(byChainOrder)
  const next = { ...intent, transfers }
  const paid = payingTransfers(next)
  if (!withoutDust(next).includes(transfer)) return silentChange(next)
  switch (intent.status) {
    case 'requires_payment':
      return paid ? nowPending(next, paid) : partial(next, transfer)
    case 'expired':
      if (late) return arrivedLate(next, transfer)
      return paid ? nowPending(next, paid) : partial(next, transfer)
    case 'canceled':
      return arrivedLate(next, transfer)
    case 'pending_confirmations':
      return changed(next, { exceptions: paidExceptions(next, paid) }, ['payment_intent.overpaid'])
    case 'succeeded': {
      // The transfer restores a reorged payment, which settles again once it is deep enough.
      if (paid && !payingTransfers(intent)) {
        return changed(next, { exceptions: ['reorged'], txHash: lastOf(paid).txHash }, [])
      }
      // A transfer that does not restore a reversed payment is reported; the payment stays reversed.
      const change = paid
        ? { exceptions: [...reorgedOf(intent), ...paidExceptions(next, paid)] }
        : { exceptions: ['reorged'] as const, txHash: transfer.txHash }
      return changed(next, change, ['payment_intent.overpaid'])
    }
  }
}

function nowPending(intent: Intent, paid: readonly CreditedTransfer[]): Outcome {
  const exceptions = paidExceptions(intent, paid)
  const more = exceptions.includes('overpaid') || exceptions.includes('multiple')
  return changed(
    intent,
    { status: 'pending_confirmations', txHash: lastOf(paid).txHash, exceptions },
    [
      'payment_intent.pending_confirmations',
      ...(more ? (['payment_intent.overpaid'] as const) : []),
    ],
  )
}

function partial(intent: Intent, transfer: CreditedTransfer): Outcome {
  return changed(intent, { txHash: transfer.txHash, exceptions: unpaidExceptions(intent) }, [
    'payment_intent.underpaid',
  ])
}

function arrivedLate(intent: Intent, transfer: CreditedTransfer): Outcome {
  return changed(intent, { txHash: transfer.txHash, exceptions: unpaidExceptions(intent) }, [
    'payment_intent.paid_late',
  ])
}

function transferOrphaned(intent: Intent, transferId: string): Outcome {
  const transfers = intent.transfers.filter((transfer) => transfer.id !== transferId)
  if (transfers.length === intent.transfers.length) return { type: 'unchanged' }
  const before = payingTransfers(intent)
  const wasDust = !withoutDust(intent).some((transfer) => transfer.id === transferId)
  if (wasDust) return silentChange({ ...intent, transfers })
  const next = withLatestHash({ ...intent, transfers })
  const paid = payingTransfers(next)
  const wasCredited = before?.some((transfer) => transfer.id === transferId) ?? false

  if (intent.status === 'succeeded') {
    if (wasCredited) {
      const change = { exceptions: ['reorged'] as const, confirmations: 0 }
      return changed(next, change, ['payment_intent.reversed'])
    }
    const exceptions = paid
      ? [...reorgedOf(intent), ...paidExceptions(next, paid)]
      : (['reorged'] as const)
    return changed(next, { exceptions }, ['payment_intent.reorged'])
  }
  if (intent.status === 'pending_confirmations' && paid) {
    const exceptions = ['reorged', ...paidExceptions(next, paid)] as const
    return changed(next, { exceptions, txHash: lastOf(paid).txHash }, ['payment_intent.reorged'])
  }
  const status = intent.status === 'pending_confirmations' ? 'requires_payment' : intent.status
  const exceptions = unpaidExceptions({ ...next, status, exceptions: ['reorged'] })
  return changed(next, { status, confirmations: 0, exceptions }, ['payment_intent.reorged'])
}

/** Transfers that paid the intent cannot be moved; others can. */
function transferMoved(intent: Intent, transferId: string): Outcome {
  const transfers = intent.transfers.filter((transfer) => transfer.id !== transferId)
  if (transfers.length === intent.transfers.length) return { type: 'unchanged' }
  if (isPaid(intent) && payingTransfers(intent)?.some((transfer) => transfer.id === transferId)) {
    return {
      type: 'refused',
      message: `The transfer paid ${intent.id}, so it cannot move. Refund the payment instead.`,
    }
  }
  const next = { ...intent, transfers }
  const paid = payingTransfers(next)
  const moved = isPaid(intent)
    ? {
        txHash: remainingHash(next, paid),
        exceptions: [...reorgedOf(intent), ...paidExceptions(next, paid)],
      }
    : { txHash: withLatestHash(next).txHash, exceptions: unpaidExceptions(next) }
  return changed(next, moved, ['payment_intent.transfer_moved'])
}

function headMoved(intent: Intent, head: Extract<Fact, { type: 'head' }>): Outcome {
  if (intent.status === 'requires_payment') {
    if (head.timestamp <= intent.expiresAt) return { type: 'unchanged' }
    return changed(intent, { status: 'expired' }, ['payment_intent.expired'])
  }
  const paid = isSettling(intent) ? payingTransfers(intent) : null
  const { blockNumber } = head
  if (!paid || blockNumber === null) return { type: 'unchanged' }

  const depths = paid.map((transfer) => Number(blockNumber - transfer.blockNumber) + 1)
  const confirmations = Math.max(0, Math.min(...depths))
  const settled =
    confirmations >= intent.confirmationsRequired &&
    paid.every((transfer) => head.proven.has(transfer.id))
  if (settled) {
    const exceptions = paidExceptions(intent, paid)
    const succeededAt = head.timestamp * 1_000
    return changed(intent, { status: 'succeeded', confirmations, exceptions, succeededAt }, [
      'payment_intent.succeeded',
    ])
  }
  // Without proof, show fewer confirmations than required.
  const shown = Math.min(confirmations, intent.confirmationsRequired - 1)
  if (shown === intent.confirmations) return { type: 'unchanged' }
  return changed(intent, { confirmations: shown }, [])
}

/** Keeps `reorged`, which stays until the new payment is deep and proven. */
function reorgedOf({ exceptions }: Intent): Intent['exceptions'] {
  return exceptions.filter((exception) => exception === 'reorged')
}

function withLatestHash(intent: Intent): Intent {
  return { ...intent, txHash: withoutDust(intent).at(-1)?.txHash ?? null }
}

/** The completing transfer may no longer count if an earlier transfer in the chain was found later. */
function remainingHash(intent: Intent, paid: readonly CreditedTransfer[] | null): Intent['txHash'] {
  const isCredited = withoutDust(intent).some((transfer) => transfer.txHash === intent.txHash)
  if (isCredited) return intent.txHash
  return paid ? lastOf(paid).txHash : withLatestHash(intent).txHash
}

/** Adds or removes a transfer that does not count: nothing visible changes. */
function silentChange(intent: Intent): Outcome {
  return { type: 'changed', intent, events: [] }
}

function changed(intent: Intent, change: Partial<Intent>, events: readonly EventType[]) {
  const next = { ...intent, ...change }
  return {
    type: 'changed' as const,
    intent: {
      ...next,
      succeededAt: next.exceptions.includes('reorged') ? null : next.succeededAt,
      version: intent.version + 1,
      sequence: intent.sequence + events.length,
    },
    events,
  }
}

function byChainOrder(a: CreditedTransfer, b: CreditedTransfer): number {
  if (a.blockNumber !== b.blockNumber) return a.blockNumber < b.blockNumber ? -1 : 1
  return a.logIndex - b.logIndex
}

function lastOf<Item>(items: readonly Item[]): Item {
  const last = items.at(-1)
  if (!last) throw new Error('Expected at least one item')
  return last
}
