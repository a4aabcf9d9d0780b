import { en, type Messages } from './en.ts'
import { newcomerMessages } from './newcomerMessages.ts'

/** Keys of the messages that only the screens of payers without a wallet in this browser have. */
const manualKeys = /^(?:qr\.|no_wallet\.(?!title$)|pay_by_qr$|amount\.)/

/** English messages of the screens of payers without a wallet in this browser, or without USDC. Builds leave them out of `en`. */
export const enManual: Partial<Messages> = {
  ...Object.fromEntries(Object.entries(en).filter(([key]) => manualKeys.test(key))),
  ...newcomerMessages,
}
