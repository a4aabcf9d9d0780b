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

/** What `onError` is told about a code. Only the end of the intent itself cannot be recovered from. */
export function checkoutError(code: CheckoutErrorCode): CheckoutError {
  const told: Told = (toldAs as Partial<Record<CheckoutErrorCode, Told>>)[code] ?? (code as Told)
  const title = en[`${told}.title`].replace('{token}', 'USDC')
  const message = `The payer is told: ${title}.`
  return { code, message, recoverable: !code.startsWith('intent_') }
}
