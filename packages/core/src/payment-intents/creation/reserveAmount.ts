import type { Intent } from '../intent.ts'

/**
 * Whether an amount to pay by hand can be reserved for an intent. An intent of a payment link gets it when its payer
 * opens that method, so that payers who never do use no amounts of the merchant's own orders.
 */
export function canReserve(intent: Intent): boolean {
  const { paymentLink, referenceOnly, status, transfers } = intent
  return (
    paymentLink !== null && referenceOnly && status === 'requires_payment' && transfers.length === 0
  )
}

/** The intent once an amount is reserved for it. */
export function withReserved(intent: Intent, payable: bigint): Intent {
  return { ...intent, payable, referenceOnly: false, version: intent.version + 1 }
}
