import type { CheckoutErrorCode } from '../checkoutOptions.ts'

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
  /** With `tx_reverted`: found by simulation; the wallet received no request. */
  foreseen?: true
  /** The wallet received the request, and may have sent. */
  unsure?: true
  /** The wallet or the account cannot pay by this method; the next attempt uses another. */
  unusable?: true
  /** With `unusable`: by signature, so nothing was paid, and a transfer costs a network fee. */
  needsFee?: true
}
