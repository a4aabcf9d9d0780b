import type { Decision, Promised } from './knowledge.ts'
import { type Credited, payment } from './states.ts'
import { total, withoutDust } from './withoutDust.ts'

/** An intent as its merchant finds it. */
export type MerchantIntent = {
  readonly isTheirs: boolean
  readonly intent: Promised
  readonly status: string
  readonly decision: Decision
  /** All that is credited, dust included. */
  readonly credited: readonly Credited[]
}

/** A transfer that is to be assigned. */
export type MerchantTransfer = {
  readonly isTheirs: boolean
  readonly transfer: Credited
  readonly creditedTo: 'no_intent' | 'this_intent' | MerchantIntent
  readonly orphaned: boolean
  /** In USDC, and on the intent's chain. */
  readonly isPayment: boolean
}

export type ExpectedResult =
  /** `already`: done before, so that nothing changes. */
  | { result: 'already' | 'refused' | 'not_found' }
  /** The intent's state then; `status` null where the states page decides. */
  | {
      result: 'done'
      status: string | null
      received: bigint
      decision: Decision
    }

/** "Merchant cancels, nothing but dust received." */
export function classifyCancel(intentState: MerchantIntent): ExpectedResult {
  const { isTheirs, status } = intentState
  const received = receivedOf(intentState)
  if (!isTheirs) return { result: 'not_found' }
  if (status === 'canceled') return { result: 'already' }
  if (status !== 'requires_payment' || received > 0n) return { result: 'refused' }
  const decision = { canceled: true, accepted: null, lapsed: false }
  return { result: 'done', status: 'canceled', received, decision }
}

/** "Settle an underpaid or late payment as it stands." */
export function classifyAccept(intentState: MerchantIntent): ExpectedResult {
  const { isTheirs, status, intent } = intentState
  const received = receivedOf(intentState)
  if (!isTheirs) return { result: 'not_found' }
  if (status === 'pending_confirmations' || status === 'succeeded') {
    return { result: intentState.decision.accepted === null ? 'refused' : 'already' }
  }
  if (received === 0n) return { result: 'refused' }
  const coversPrice = received >= intent.amount
  const accepted = coversPrice ? intent.amount : received
  const decision = { canceled: false, accepted, lapsed: false }
  return {
    result: 'done',
    status: 'pending_confirmations',
    received,
    decision,
  }
}

/**
 * "An unmatched transfer … is assigned by hand"; "`assign` may also move a credited transfer that no state counts,
 * within one merchant, mode, chain and wallet".
 */
export function classifyAssign(
  intentState: MerchantIntent,
  transferState: MerchantTransfer,
): ExpectedResult {
  const { intent, decision, credited } = intentState
  const { transfer, creditedTo } = transferState
  if (!intentState.isTheirs || !transferState.isTheirs) return { result: 'not_found' }
  if (creditedTo === 'this_intent') return { result: 'already' }
  if (transferState.orphaned || !transferState.isPayment) return { result: 'refused' }
  if (creditedTo !== 'no_intent' && !isMovable(transfer, creditedTo, intent)) {
    return { result: 'refused' }
  }
  const received = receivedOf({
    ...intentState,
    credited: [...credited, { ...transfer, rail: 'assignment' }],
  })
  return { result: 'done', status: null, received, decision }
}

function isMovable(transfer: Credited, source: MerchantIntent, target: Promised): boolean {
  if (source.intent.wallet !== target.wallet) return false
  if (source.status !== 'pending_confirmations' && source.status !== 'succeeded') return true
  const paid = payment(source.intent, source.decision, source.credited)
  return !paid?.some(({ id }) => id === transfer.id)
}

function receivedOf({ intent, decision, credited }: MerchantIntent): bigint {
  return total(withoutDust(intent, decision.accepted, credited))
}
