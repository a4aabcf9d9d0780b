import type { EventType, PaymentIntentException } from '@payment-intents/contract'
import { type Intent, type LedgerTransfer, received } from './intent.ts'

/** Something that happened, in the order of the chain. */
export type Fact =
  | { type: 'seen'; transfer: LedgerTransfer }
  /** The block of a credited transfer is no longer part of the chain. */
  | { type: 'orphaned'; transferId: string }
  /** The newest block; `timestamp` in Unix seconds. */
  | { type: 'head'; blockNumber: number; timestamp: number }
  | { type: 'cancel' }
  | { type: 'accept' }

export type Outcome =
  | { type: 'unchanged' }
  | { type: 'refused'; message: string }
  /** `intent.sequence` counts `events` in already. */
  | { type: 'changed'; intent: Intent; events: readonly EventType[] }

const unchanged: Outcome = { type: 'unchanged' }

/** Moves an intent by one fact, as the service does; the service's own rules are the ones that count. */
export function transition(intent: Intent, fact: Fact): Outcome {
  switch (fact.type) {
    case 'seen':
      return seen(intent, fact.transfer)
    case 'orphaned':
      return orphaned(intent, fact.transferId)
    case 'head':
      return headMoved(intent, fact)
    case 'cancel':
      return cancel(intent)
    case 'accept':
      return accept(intent)
  }
}

/** The fewest transfers, first come first counted, that pay what is due; null while it is not paid. */
export function counted(intent: Intent): readonly LedgerTransfer[] | null {
  const { accepted, amount, expiresAt, transfers } = intent
  const eligible = transfers.filter(
    ({ blockTimestamp }) => accepted !== null || blockTimestamp <= expiresAt,
  )
  let missing = accepted ?? amount
  for (const [index, transfer] of eligible.entries()) {
    missing -= transfer.amount
    if (missing <= 0n) return eligible.slice(0, index + 1)
  }
  return null
}

function seen(intent: Intent, transfer: LedgerTransfer): Outcome {
  const late = transfer.blockTimestamp > intent.expiresAt
  if (late && intent.status === 'requires_payment') {
    const expired = moved(intent, { status: 'expired' }, 'payment_intent.expired')
    const next = seen(expired.intent, transfer)
    return next.type === 'changed'
      ? { ...next, events: [...expired.events, ...next.events] }
      : expired
  }

  // One that is assigned by hand may be older than what is credited already.
  const transfers = [...intent.transfers, transfer].sort((a, b) => a.blockNumber - b.blockNumber)
  const next = { ...intent, transfers }
  const paid = counted(next)
  if (intent.status === 'pending_confirmations') {
    return moved(next, { exceptions: ofPaid(next, paid) }, 'payment_intent.overpaid')
  }
  if (intent.status === 'succeeded') {
    // A payment that was taken back is restored; it settles again once it is deep enough.
    if (paid && !counted(intent)) {
      return moved(next, { exceptions: ['reorged'], txHash: lastHash(paid) })
    }
    const change: Partial<Intent> = paid
      ? { exceptions: ofPaid(next, paid) }
      : { exceptions: ['reorged'], txHash: transfer.txHash }
    return moved(next, change, 'payment_intent.overpaid')
  }
  const told = { txHash: transfer.txHash, exceptions: ofUnpaid(next) }
  if (late || intent.status === 'canceled') return moved(next, told, 'payment_intent.paid_late')
  if (!paid) return moved(next, told, 'payment_intent.underpaid')
  const exceptions = ofPaid(next, paid)
  const surplus = exceptions.some((name) => name === 'overpaid' || name === 'multiple')
  return moved(
    next,
    { status: 'pending_confirmations', txHash: lastHash(paid), exceptions },
    'payment_intent.pending_confirmations',
    ...(surplus ? (['payment_intent.overpaid'] as const) : []),
  )
}

function orphaned(intent: Intent, transferId: string): Outcome {
  const transfers = intent.transfers.filter(({ id }) => id !== transferId)
  const next: Intent = { ...intent, transfers, txHash: transfers.at(-1)?.txHash ?? null }
  const paid = counted(next)
  if (intent.status === 'succeeded') {
    if (counted(intent)?.some(({ id }) => id === transferId)) {
      const change = { exceptions: ['reorged'] as const, confirmations: 0 }
      return moved(next, change, 'payment_intent.reversed')
    }
    const exceptions = paid ? ofPaid(next, paid) : (['reorged'] as const)
    return moved(next, { exceptions }, 'payment_intent.reorged')
  }
  if (intent.status === 'pending_confirmations' && paid) {
    const exceptions = ['reorged', ...ofPaid(next, paid)] as const
    return moved(next, { exceptions, txHash: lastHash(paid) }, 'payment_intent.reorged')
  }
  const status = intent.status === 'pending_confirmations' ? 'requires_payment' : intent.status
  const exceptions = ofUnpaid({ ...next, status, exceptions: ['reorged'] })
  return moved(next, { status, confirmations: 0, exceptions }, 'payment_intent.reorged')
}

function headMoved(intent: Intent, head: { blockNumber: number; timestamp: number }): Outcome {
  const { status, exceptions, confirmationsRequired } = intent
  if (status === 'requires_payment') {
    return head.timestamp > intent.expiresAt
      ? moved(intent, { status: 'expired' }, 'payment_intent.expired')
      : unchanged
  }
  const settling =
    status === 'pending_confirmations' || (status === 'succeeded' && exceptions.includes('reorged'))
  const paid = settling ? counted(intent) : null
  if (!paid) return unchanged

  const depths = paid.map(({ blockNumber }) => head.blockNumber - blockNumber + 1)
  const confirmations = Math.min(...depths)
  if (confirmations >= confirmationsRequired) {
    const change = {
      status: 'succeeded',
      confirmations,
      exceptions: ofPaid(intent, paid),
    } as const
    return moved(intent, change, 'payment_intent.succeeded')
  }
  return confirmations === intent.confirmations ? unchanged : moved(intent, { confirmations })
}

function cancel(intent: Intent): Outcome {
  if (intent.status === 'canceled') return unchanged
  if (intent.status !== 'requires_payment') {
    return refused(`A payment intent that is ${intent.status} stays so.`)
  }
  if (intent.transfers.length > 0) {
    return refused('Something was received already: accept it, or let the payment intent expire.')
  }
  return moved(intent, { status: 'canceled' }, 'payment_intent.canceled')
}

function accept(intent: Intent): Outcome {
  if (intent.status === 'pending_confirmations' || intent.status === 'succeeded') {
    return intent.accepted === null
      ? refused('It is paid already: there is nothing to accept.')
      : unchanged
  }
  if (intent.transfers.length === 0) {
    return refused('Nothing was received: there is nothing to accept.')
  }
  const isWhole = received(intent) >= intent.amount
  const change = {
    status: 'pending_confirmations',
    accepted: isWhole ? intent.amount : received(intent),
    txHash: lastHash(intent.transfers),
    confirmations: 0,
  } as const
  return moved(intent, change, 'payment_intent.pending_confirmations')
}

/** What is unusual about a payment that is complete. */
function ofPaid(
  intent: Intent,
  paid: readonly LedgerTransfer[] | null,
): readonly PaymentIntentException[] {
  if (!paid) return []
  const sum = received({ transfers: paid })
  const found: [PaymentIntentException, boolean][] = [
    ['underpaid', sum < intent.amount],
    ['overpaid', sum > intent.payable],
    ['late', paid.some(({ blockTimestamp }) => blockTimestamp > intent.expiresAt)],
    ['multiple', intent.transfers.length > paid.length],
  ]
  return holding(found)
}

/** What is unusual about money that does not pay the intent; that it was reorged stays until it is paid. */
function ofUnpaid(intent: Intent): readonly PaymentIntentException[] {
  const isLate = ({ blockTimestamp }: LedgerTransfer) =>
    intent.status === 'canceled' || blockTimestamp > intent.expiresAt
  const found: [PaymentIntentException, boolean][] = [
    ['underpaid', !intent.transfers.every(isLate)],
    ['late', intent.transfers.some(isLate)],
    ['reorged', intent.exceptions.includes('reorged')],
  ]
  return holding(found)
}

function holding(
  found: readonly [PaymentIntentException, boolean][],
): readonly PaymentIntentException[] {
  return found.flatMap(([name, holds]) => (holds ? name : []))
}

function moved(intent: Intent, change: Partial<Intent>, ...events: readonly EventType[]) {
  const { version, sequence } = intent
  const counts = { version: version + 1, sequence: sequence + events.length }
  return { type: 'changed' as const, intent: { ...intent, ...change, ...counts }, events }
}

function refused(message: string): Outcome {
  return { type: 'refused', message }
}

function lastHash(transfers: readonly LedgerTransfer[]): LedgerTransfer['txHash'] | null {
  return transfers.at(-1)?.txHash ?? null
}
