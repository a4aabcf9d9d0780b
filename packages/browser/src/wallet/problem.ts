import type { CheckoutErrorCode } from '../options.ts'

/** Why an attempt to pay with a wallet stopped. */
export type Problem = {
  code: CheckoutErrorCode
  /** With `insufficient_token`: how much more USDC the account needs, in units. */
  shortUnits?: bigint
  /** With `request_pending`: the request stands in another tab of this browser. */
  otherTab?: true
  /** With `address_blocked`: it is the shop's address that is blocked. */
  recipient?: true
  /** With `tx_reverted`: it would have been, and was not asked for. */
  foreseen?: true
  /** The wallet was asked to send, and may have. */
  unsure?: true
}
