import type { Decision } from './knowledge.ts'

/** An intent as its merchant finds it. */
export type Found = {
  readonly isTheirs: boolean
  readonly amount: bigint
  readonly status: string
  readonly decision: Decision
  /** How many transfers are credited, and their sum. */
  readonly transfers: number
  readonly received: bigint
}

/** A transfer that is to be assigned. */
export type FoundTransfer = {
  readonly isTheirs: boolean
  readonly amount: bigint
  readonly creditedTo: 'nobody' | 'this_intent' | 'another'
  readonly orphaned: boolean
  /** In USDC, and on the intent's chain. */
  readonly isPayment: boolean
}

export type RightAnswer =
  /** `already`: done before, so that nothing changes. */
  | { answer: 'already' | 'refused' | 'not_found' }
  /** How the intent stands then; `status` null where that is for the states page to say. */
  | {
      answer: 'done'
      status: string | null
      received: bigint
      decision: Decision
    }

/** "Only while nothing was received." */
export function classifyCancel({ isTheirs, status, transfers, received }: Found): RightAnswer {
  if (!isTheirs) return { answer: 'not_found' }
  if (status === 'canceled') return { answer: 'already' }
  if (status !== 'requires_payment' || transfers > 0) return { answer: 'refused' }
  const decision = { canceled: true, accepted: null, lapsed: false }
  return { answer: 'done', status: 'canceled', received, decision }
}

/** "Settle an underpaid or late payment as it stands." */
export function classifyAccept(found: Found): RightAnswer {
  const { isTheirs, status, transfers, received, amount } = found
  if (!isTheirs) return { answer: 'not_found' }
  if (status === 'pending_confirmations' || status === 'succeeded') {
    return { answer: found.decision.accepted === null ? 'refused' : 'already' }
  }
  if (transfers === 0) return { answer: 'refused' }
  const isWhole = received >= amount
  const decision = { canceled: false, accepted: isWhole ? amount : received, lapsed: false }
  return {
    answer: 'done',
    status: 'pending_confirmations',
    received,
    decision,
  }
}

/** "An unmatched transfer … can be assigned by hand"; "credited once, ever". */
export function classifyAssign(intent: Found, transfer: FoundTransfer): RightAnswer {
  if (!intent.isTheirs || !transfer.isTheirs) return { answer: 'not_found' }
  if (transfer.creditedTo === 'this_intent') return { answer: 'already' }
  if (transfer.creditedTo === 'another' || transfer.orphaned || !transfer.isPayment) {
    return { answer: 'refused' }
  }
  const { decision } = intent
  return {
    answer: 'done',
    status: null,
    received: intent.received + transfer.amount,
    decision,
  }
}
