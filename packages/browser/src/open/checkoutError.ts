import type { CheckoutError, CheckoutErrorCode } from '../checkoutOptions.ts'
import { en } from '../locales/en.ts'

/** Message names that differ from their code. */
const messageNames = {
  wallet_not_found: 'no_wallet',
  duplicate_submission: 'duplicate',
  intent_expired: 'expired',
  intent_canceled: 'canceled',
  intent_not_found: 'not_found',
} as const

type Renamed = keyof typeof messageNames
type MessageName = Exclude<CheckoutErrorCode, Renamed> | (typeof messageNames)[Renamed]

/**
 * The error that `onError` gets for a code.
 *
 * @param detail distinguishes problems of one code
 */
export function checkoutError(code: CheckoutErrorCode, detail: string = code): CheckoutError {
  const renamed = (messageNames as Partial<Record<string, MessageName>>)[code]
  const key = `${renamed ?? detail}.title`
  const title = (key in en ? en[key as keyof typeof en] : code).replace('{token}', 'USDC')
  const advice = /nt_n|^net/.test(code) ? ' Check `baseUrl`.' : ''
  const message = `Shown to the payer: ${title}.${advice}`
  // A blocked recipient and an unsupported token cannot be paid.
  const isEnd = code.startsWith('intent_') || /^(recipient_blocked|unknown_token)$/.test(detail)
  return { code, message, recoverable: !isEnd }
}
