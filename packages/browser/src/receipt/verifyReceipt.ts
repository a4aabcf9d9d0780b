import { chains } from '@payment-intents/contract/chains'
import { type OptionNames, optionIssues } from '@payment-intents/contract/options'
import { paymentReference } from '@payment-intents/core'
import { askService, type Confirmation } from './askService.ts'
import { type Paid, readPayment } from './readPayment.ts'
import { isCommitted, type RefundVerdict, readRefunds } from './readRefunds.ts'
import { parseReceipt, type Receipt } from './receipt.ts'

export type { Confirmation } from './askService.ts'

export type { Paid, PaidTransfer } from './readPayment.ts'
export type { RefundVerdict } from './readRefunds.ts'
export type { Receipt, ReceiptRefund } from './receipt.ts'

/** What the chain has, and what the service says of it. */
type Verified = {
  payment: Paid
  confirmation: Confirmation
  /** Those of the receipt, and those that the service has listed since if it confirms the receipt. */
  refunds: readonly RefundVerdict[]
}

export type ReceiptVerdict =
  /** The payer signed this payment for this payment intent, and the chain has it: at least its price. */
  | ({ type: 'proven' } & Verified)
  /**
   * The chain has the transfers, but they do not name the payment intent, as when somebody sends the exact amount by
   * hand: that they are for it is what the service says if it has `confirmed` the receipt, else only what the bearer says.
   */
  | ({ type: 'paid' } & Verified)
  /** As `paid`, with less than the price; the merchant may have settled for it. */
  | ({ type: 'underpaid' } & Verified)
  /** The receipt says something that is not so. */
  | { type: 'refuted'; reason: Refutation; message: string }
  /** The chain could not be asked. */
  | { type: 'unknown'; message: string }

/**
 * `malformed`: it is no receipt. `token`: not USDC of a chain that is known. `reference`: the terms are not those that
 * the reference commits to. `transfer`: the chain does not have a transfer as the receipt says, or it moved no money.
 * `another`: what the payer signed names another payment intent, and no service that was asked says otherwise.
 * `refund`: the terms of a refund are not those that its reference commits to, or the chain does not have its transfer.
 */
export type Refutation = 'malformed' | 'token' | 'reference' | 'transfer' | 'another' | 'refund'

type Options = { rpcUrl: string; serviceUrl?: string; signal?: AbortSignal }

const optionNames: OptionNames<Options> = { rpcUrl: true, serviceUrl: true, signal: true }

/**
 * Checks a receipt against the chain, so that either side can prove to a third that a payment was for an order. It
 * recomputes the payment reference from the terms and the salt, reads each transfer, and looks for the reference in
 * what the payer signed: the calldata, or the nonce of an EIP-3009 authorization. It does the same for each refund, whose
 * reference is the nonce that the merchant's wallet signed. Everything else in a receipt is a claim
 * of its bearer, unless the service confirms it.
 *
 * @param receipt `resolve`'s `receipt`, or what `retrieveReceipt` of the server's client returns
 * @param options.rpcUrl a JSON-RPC provider of the receipt's chain that you trust
 * @param options.serviceUrl the payment service that the merchant uses: it is asked whether the receipt is its own. Take it
 *   from the merchant, never from the receipt. A payment by x402 is `refuted` without it, since its nonce is random
 * @param options.signal aborts the requests
 * @throws TypeError for an unknown option
 * @example
 * ```ts
 * import { verifyReceipt } from '@payment-intents/browser/receipt'
 *
 * export async function isProven(receipt: unknown): Promise<boolean> {
 *   const verdict = await verifyReceipt(receipt, { rpcUrl: 'https://mainnet.base.org' })
 *   return verdict.type === 'proven'
 * }
 * ```
 */
export async function verifyReceipt(receipt: unknown, options: Options): Promise<ReceiptVerdict> {
  const [issue] = optionIssues(options, optionNames)
  if (issue) throw new TypeError(`verifyReceipt: ${issue.message}`)
  const parsed = parseReceipt(receipt)
  if (!parsed)
    return refuted('malformed', 'This is not a receipt, or some of its fields are wrong.')
  const { chain_id: chainId, token_address: token } = parsed
  const facts = chains.find((known) => known.chainId === chainId)
  if (facts?.usdc.toLowerCase() !== token.toLowerCase()) {
    return refuted('token', `${token} is not USDC on a chain that is known (${chainId}).`)
  }
  if (referenceOf(parsed) !== parsed.payment_reference) {
    return refuted('reference', 'The terms and the salt do not give the payment reference.')
  }
  const strange = parsed.refunds?.find((refund) => !isCommitted(parsed, refund))
  if (strange) return refuted('refund', `The terms of ${strange.id} do not give its reference.`)
  const [read, service] = await Promise.all([
    readPayment(parsed, options),
    askService(parsed, options),
  ])
  if (read.type === 'unknown') return read
  if (read.type === 'absent') return refuted('transfer', read.message)
  const { payment, head } = read
  const { confirmation } = service
  const elsewhere = payment.transfers.find(({ namesAnother }) => namesAnother)
  if (elsewhere && confirmation.type !== 'confirmed') {
    const { from, txHash } = elsewhere
    return refuted('another', `${from} signed ${txHash} for another payment intent.`)
  }
  const known = { head, served: service.refunds }
  const refunds = await readRefunds(parsed, known, options)
  if (refunds.type === 'unknown') return refunds
  if (refunds.type === 'refuted') return refuted('refund', refunds.message)
  const verified = { payment, confirmation, refunds: refunds.refunds }
  const isWhole = payment.amountUnits >= BigInt(parsed.amount_units)
  if (!isWhole) return { type: 'underpaid', ...verified }
  const isNamed = payment.transfers.every(({ namesIntent }) => namesIntent)
  return { type: isNamed ? 'proven' : 'paid', ...verified }
}

function referenceOf(receipt: Receipt): string {
  return paymentReference({
    id: receipt.payment_intent,
    chainId: receipt.chain_id,
    token: receipt.token_address,
    to: receipt.expected_wallet,
    amount: BigInt(receipt.amount_units),
    expiresAt: Date.parse(receipt.expires_at) / 1000,
    salt: receipt.salt,
  })
}

function refuted(reason: Refutation, message: string): ReceiptVerdict {
  return { type: 'refuted', reason, message }
}
