import type { AttentionType } from '@payment-intents/contract'
import { alertWindows } from '../alerts/alertObject.ts'
import type { Intent } from '../payment-intents/intent.ts'
import { received } from '../payment-intents/payingTransfers.ts'
import type { Refund } from '../refunds/refund.ts'
import { dustUnits } from '../transfers/dust.ts'
import type { StoredEndpoint } from '../webhook-endpoints/store.ts'

// Why somebody has to decide on an object or look into it; null: there is no reason, or it was dealt with. The list of
// objects that need attention has exactly these, and alerts name no others.

type AttentionOf<Noun extends string> = Extract<AttentionType, `${Noun}_${string}`>

/** Dust needs nobody: attackers send thousands of such transfers, and no refund is that small. */
export function attentionOfTransfer(transfer: {
  readonly amount: bigint
  readonly intentId: string | null
  readonly orphaned: boolean
  /** Whether the transfer pays a refund. */
  readonly isRefund: boolean
  /** Whether a refund that is not canceled pays the transfer back. */
  readonly isRefunded: boolean
}): AttentionOf<'transfer'> | null {
  const { amount, intentId, orphaned, isRefund, isRefunded } = transfer
  const isHandled = intentId !== null || orphaned || isRefund || isRefunded
  return isHandled || amount < dustUnits ? null : 'transfer_unmatched'
}

/** A payment that did not count, and a surplus, need somebody until refunds leave less than a cent of them. */
export function attentionOfIntent(intent: Intent): AttentionOf<'payment_intent'> | null {
  const { status, exceptions } = intent
  switch (status) {
    case 'succeeded':
      if (exceptions.includes('reorged')) return 'payment_intent_reversed'
      return isOwed(intent, received(intent) - retained(intent)) ? 'payment_intent_overpaid' : null
    case 'expired':
    case 'canceled':
      if (!isOwed(intent, received(intent))) return null
      return exceptions.includes('underpaid') ? 'payment_intent_underpaid' : 'payment_intent_late'
    default:
      return null
  }
}

/** The units of a payment that the merchant keeps. */
function retained({ accepted, amount, payable }: Intent): bigint {
  return accepted !== null && accepted < amount ? accepted : payable
}

function isOwed({ refunded, refunding }: Intent, units: bigint): boolean {
  return units - refunded - refunding >= dustUnits
}

export function attentionOfRefund({
  status,
}: Pick<Refund, 'status'>): AttentionOf<'refund'> | null {
  return status.startsWith('requires_') ? 'refund_waiting' : null
}

/** @param now Unix milliseconds */
export function attentionOfEndpoint(
  { disabledReason, failingSince }: Pick<StoredEndpoint, 'disabledReason' | 'failingSince'>,
  now: number,
): AttentionOf<'webhook_endpoint'> | null {
  if (disabledReason !== null || failingSince === null) return null
  const isLong = now - failingSince.getTime() >= alertWindows.endpointFailing
  return isLong ? 'webhook_endpoint_failing' : null
}
