import { total, withoutDust } from './dust.ts'
import type { Decision, Promised } from './knowledge.ts'
import { type Credited, payment } from './states.ts'

/** An intent as its merchant finds it. */
export type Found = {
  readonly isTheirs: boolean
  readonly intent: Promised
  readonly status: string
  readonly decision: Decision
  /** All that is credited, dust included. */
  readonly credited: readonly Credited[]
}

/** A transfer that is to be assigned. */
export type FoundTransfer = {
  readonly isTheirs: boolean
  readonly transfer: Credited
  readonly creditedTo: 'no_intent' | 'this_intent' | Found
  readonly orphaned: boolean
  /** In USDC, and on the intent's chain. */
  readonly isPayment: boolean
}

export type RightAnswer =
  /** `already`: done before, so that nothing changes. */
  | { answer: 'already' | 'refused' | 'not_found' }
  /** The intent's state then; `status` null where the states page decides. */
  | {
      answer: 'done'
      status: string | null
      received: bigint
      decision: Decision
    }

/** "Merchant cancels, nothing but dust received." */
export function classifyCancel(found: Found): RightAnswer {
  const { isTheirs, status } = found
  const received = receivedOf(found)
  if (!isTheirs) return { answer: 'not_found' }
  if (status === 'canceled') return { answer: 'already' }
  if (status !== 'requires_payment' || received > 0n) return { answer: 'refused' }
  const decision = { canceled: true, accepted: null, lapsed: false }
  return { answer: 'done', status: 'canceled', received, decision }
}

/** "Settle an underpaid or late payment as it stands." */
export function classifyAccept(found: Found): RightAnswer {
  const { isTheirs, status, intent } = found
  const received = receivedOf(found)
  if (!isTheirs) return { answer: 'not_found' }
  if (status === 'pending_confirmations' || status === 'succeeded') {
    return { answer: found.decision.accepted === null ? 'refused' : 'already' }
  }
  if (received === 0n) return { answer: 'refused' }
  const isWhole = received >= intent.amount
  const accepted = isWhole ? intent.amount : received
  const decision = { canceled: false, accepted, lapsed: false }
  return {
    answer: 'done',
    status: 'pending_confirmations',
    received,
    decision,
  }
}

/**
 * "An unmatched transfer … is assigned by hand"; "`assign` may also move a credited transfer that no state counts,
 * within one merchant, mode, chain and wallet".
 */
export function classifyAssign(found: Found, asked: FoundTransfer): RightAnswer {
  const { intent, decision, credited } = found
  const { transfer, creditedTo } = asked
  if (!found.isTheirs || !asked.isTheirs) return { answer: 'not_found' }
  if (creditedTo === 'this_intent') return { answer: 'already' }
  if (asked.orphaned || !asked.isPayment) return { answer: 'refused' }
  if (creditedTo !== 'no_intent' && !isMovable(transfer, creditedTo, intent)) {
    return { answer: 'refused' }
  }
  const received = receivedOf({
    ...found,
    credited: [...credited, { ...transfer, rail: 'assignment' }],
  })
  return { answer: 'done', status: null, received, decision }
}

function isMovable(transfer: Credited, source: Found, target: Promised): boolean {
  if (source.intent.wallet !== target.wallet) return false
  if (source.status !== 'pending_confirmations' && source.status !== 'succeeded') return true
  const paid = payment(source.intent, source.decision, source.credited)
  return !paid?.some(({ id }) => id === transfer.id)
}

function receivedOf({ intent, decision, credited }: Found): bigint {
  return total(withoutDust(intent, decision.accepted, credited))
}
