import { usdcDecimals } from '@payment-intents/contract'
import { picturePath } from '../pictures/pictureResponse.ts'
import type { PaymentLink } from './paymentLink.ts'

/** A link as merchants read it, as JSON text. @param publicUrl where payers reach the service */
export function presentPaymentLink(link: PaymentLink, publicUrl: string): string {
  const text = JSON.stringify({
    id: link.id,
    url: `${publicUrl}/l/${link.id}`,
    active: link.active,
    mode: link.mode,
    amount_units: unitsOf(link.amount),
    min_units: unitsOf(link.minAmount),
    max_units: unitsOf(link.maxAmount),
    decimals: usdcDecimals,
    token_symbol: 'USDC',
    description: link.description,
    chains: link.chains,
    outranked_chains: link.outrankedChains,
    max_payments: link.maxPayments,
    payments_count: link.paymentsCount,
    expires_at: link.expiresAt === null ? null : new Date(link.expiresAt).toISOString(),
    return_url: link.returnUrl,
    picture: pictureUrl(link, publicUrl),
    created_at: new Date(link.createdAt).toISOString(),
  })
  // The original text of the metadata: parsing and serialising could change it.
  return `${text.slice(0, -1)},"metadata":${link.metadata}}`
}

/** Absolute: pages of other origins show it, too. */
export function pictureUrl({ picture }: PaymentLink, publicUrl: string): string | null {
  return picture === null ? null : publicUrl + picturePath(picture)
}

export function unitsOf(amount: bigint | null): number | null {
  return amount === null ? null : Number(amount)
}
