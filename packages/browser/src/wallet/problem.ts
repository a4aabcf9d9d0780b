import type { CheckoutErrorCode } from '../options.ts'

/** Why an attempt to pay with a wallet stopped. */
export type Problem = {
  code: CheckoutErrorCode
  /** With `insufficient_token`: how much more USDC the account needs, in units. */
  shortUnits?: bigint
  /** With `request_pending`: the request is open in another tab of this browser. */
  otherTab?: true
  /** With `wallet_unauthorized`: the only account that may sign. */
  account?: string
  /** With `address_blocked`: the shop's address is blocked. */
  recipient?: true
  /** With `tx_reverted`: found by simulation; the wallet was not asked. */
  foreseen?: true
  /** The wallet was asked, and may have sent. */
  unsure?: true
  /** Paying without gas is not possible with this wallet, and nothing was paid; a transfer may be. */
  needsFee?: true
}
