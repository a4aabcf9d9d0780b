import { parseReceipt, type Receipt, type ReceiptRefund } from './parseReceipt.ts'

/**
 * A payment service's verdict on a receipt. `confirmed`: the receipt is the service's own, with these transfers; `support` is where the
 * payer reaches the merchant. `denied`: the service does not know it, or has other values. `none`: no service was called, or it did not
 * respond.
 */
export type Confirmation =
  | { readonly type: 'confirmed'; readonly merchantName: string; readonly support: string | null }
  | { readonly type: 'denied' }
  | { readonly type: 'none' }

type ServiceReceipt = {
  readonly confirmation: Confirmation
  /** The refunds that the service lists in a receipt that it confirms. */
  readonly refunds: readonly ReceiptRefund[]
}

/** Requests a service's own receipt of a payment intent. The service returns it only for the right salt. */
export async function fetchServiceReceipt(
  receipt: Receipt,
  { serviceUrl, signal }: { serviceUrl?: string; signal?: AbortSignal },
): Promise<ServiceReceipt> {
  if (serviceUrl === undefined) return without('none')
  try {
    const response = await fetch(`${serviceUrl.replace(/\/$/, '')}/receipt`, {
      method: 'POST',
      // Text needs no preflight.
      headers: { 'content-type': 'text/plain' },
      body: JSON.stringify({ payment_intent: receipt.payment_intent, salt: receipt.salt }),
      ...(signal ? { signal } : {}),
    })
    if (response.status === 404) return without('denied')
    const body = response.ok ? await response.json() : null
    const serviceReceipt = parseReceipt(body)
    if (!serviceReceipt) return without('none')
    const support = typeof body.support === 'string' ? body.support : null
    const { merchant_name: merchantName } = serviceReceipt
    if (!isOf(serviceReceipt, receipt)) return without('denied')
    const confirmation = { type: 'confirmed', merchantName, support } as const
    return { confirmation, refunds: serviceReceipt.refunds ?? [] }
  } catch {
    // The chain's verdict stands without the service's.
    return without('none')
  }
}

function without(type: 'denied' | 'none'): ServiceReceipt {
  return { confirmation: { type }, refunds: [] }
}

/** The reference commits to the other terms. By now the service may have more transfers. */
function isOf(
  serviceReceipt: Receipt,
  { payment_reference: reference, transfers }: Receipt,
): boolean {
  const places = new Set(
    serviceReceipt.transfers.map((transfer) => `${transfer.tx_hash}:${transfer.log_index}`),
  )
  return (
    serviceReceipt.payment_reference === reference &&
    transfers.every((transfer) => places.has(`${transfer.tx_hash}:${transfer.log_index}`))
  )
}
