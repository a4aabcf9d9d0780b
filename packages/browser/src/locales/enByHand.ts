import { en, type Messages } from './en.ts'

/** Keys of the messages that only the screens of payers without a wallet in this browser have. */
export const ofByHand = /^(?:qr\.|no_wallet\.(?!title$)|pay_by_qr$|amount)/

/** Their English messages; builds leave them out of `en`. */
export const enByHand: Partial<Messages> = Object.fromEntries(
  Object.entries(en).filter(([key]) => ofByHand.test(key)),
)
