import type { Chain, RequestOf } from '@payment-intents/contract'
import type { Merchant } from '../payment-intents/creation/newIntent.ts'
import { checkActiveLinks, checkSettings, linkChains } from './linkRules.ts'
import type { PaymentLink } from './paymentLink.ts'
import type { LinkCreationContext } from './store.ts'

/**
 * A new link from a request: active, and not paid yet.
 * @param metadata the request's `metadata` as the JSON text that was sent
 * @param context.picture the hash of the request's picture
 * @throws {HttpError} `invalid_body`, `wallet_invalid`, or `conflict` if the merchant has too many
 */
export function newPaymentLink(
  body: RequestOf<'createPaymentLink'>['body'],
  metadata: string,
  context: LinkCreationContext & {
    readonly merchant: Merchant
    readonly newId: (createdAt: number) => string
    /** Unix milliseconds. */
    readonly now: number
    readonly picture: string | null
    readonly confirmations: { readonly [chain in Chain]?: number }
  },
): PaymentLink {
  const { merchant, now, confirmations } = context
  const settings = {
    active: true,
    description: body.description,
    metadata,
    maxPayments: body.max_payments ?? null,
    expiresAt: body.expires_at ? Date.parse(body.expires_at) : null,
    returnUrl: body.return_url ?? null,
    picture: context.picture,
  }
  const chains = linkChains(body.chains, merchant, confirmations)
  checkSettings(settings, context, now)
  checkActiveLinks(context)
  return {
    id: context.newId(now),
    merchantId: merchant.id,
    mode: merchant.mode,
    amount: unitsOf(body.amount_units),
    minAmount: unitsOf(body.min_units),
    maxAmount: unitsOf(body.max_units),
    chains,
    createdAt: now,
    ...settings,
    paymentsCount: 0,
    outrankedChains: chains.filter((chain) => context.outrankedChains.includes(chain)),
  }
}

function unitsOf(units: number | null | undefined): bigint | null {
  return typeof units === 'number' ? BigInt(units) : null
}
