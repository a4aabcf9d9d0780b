import type { CheckoutErrorCode } from '../options.ts'

/** Why an attempt to pay with a wallet stopped. */
export type Problem = {
  code: CheckoutErrorCode
  /** With `insufficient_token`: how much more USDC the account needs, in units. */
  shortUnits?: bigint
  /** With `request_pending`: the request stands in another tab of this browser. */
  otherTab?: true
  /** The wallet was asked to send, and may have. */
  unsure?: true
}
