import type { Intent } from './intent.ts'

/** Whether enough was received. A reorg may take back a final payment; the merchant decides what follows. */
export function isPaid({ status }: Pick<Intent, 'status'>): boolean {
  return status === 'pending_confirmations' || status === 'succeeded'
}

/** Whether the intent has neither succeeded nor ended. */
export function isOpen(status: Intent['status']): boolean {
  return status === 'requires_payment' || status === 'pending_confirmations'
}

/** Whether the payment needs more confirmations, for the first time or again after a reorg. */
export function isSettling({ status, exceptions }: Pick<Intent, 'status' | 'exceptions'>): boolean {
  return (
    status === 'pending_confirmations' || (status === 'succeeded' && exceptions.includes('reorged'))
  )
}
