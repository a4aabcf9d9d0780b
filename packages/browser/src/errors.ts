import { en } from './locales/en.ts'
import type { CheckoutError, CheckoutErrorCode } from './options.ts'

/** What the payer is told about a code, where it is not named after it. */
const toldAs = {
  wallet_not_found: 'no_wallet',
  duplicate_submission: 'duplicate',
  intent_expired: 'expired',
  intent_canceled: 'canceled',
  intent_not_found: 'not_found',
} as const

type Renamed = keyof typeof toldAs
type Told = Exclude<CheckoutErrorCode, Renamed> | (typeof toldAs)[Renamed]

/**
 * What `onError` is told about a code.
 *
 * @param detail which of the problems of that code, where the payer is told them apart
 */
export function checkoutError(code: CheckoutErrorCode, detail: string = code): CheckoutError {
  const renamed = (toldAs as Partial<Record<string, Told>>)[code]
  const key = `${renamed ?? detail}.title`
  const title = (key in en ? en[key as keyof typeof en] : code).replace('{token}', 'USDC')
  const message = `The payer is told: ${title}.`
  // Nobody can pay to an address that is blocked, or in a token that is not known here.
  const isEnd = code.startsWith('intent_') || /^(recipient_blocked|unknown_token)$/.test(detail)
  return { code, message, recoverable: !isEnd }
}
