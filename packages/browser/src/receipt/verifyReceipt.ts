import { chains } from '@payment-intents/contract/chains'
import { type OptionNames, optionIssues } from '@payment-intents/contract/options'
import { paymentReference } from '@payment-intents/core'
import { type Confirmation, fetchServiceReceipt } from './fetchServiceReceipt.ts'
import { parseReceipt, type Receipt } from './parseReceipt.ts'
import { type Paid, readPayment } from './readPayment.ts'
import { isCommitted, type RefundVerdict, readRefunds } from './readRefunds.ts'

export type { Confirmation } from './fetchServiceReceipt.ts'
export type { Receipt, ReceiptRefund } from './parseReceipt.ts'
export type { Paid, PaidTransfer } from './readPayment.ts'
export type { RefundVerdict } from './readRefunds.ts'

/** The payment on the chain, and the service's verdict. */
type Verified = {
  payment: Paid
  confirmation: Confirmation
  /** The refunds of the receipt, and the refunds that the service has listed since, if it confirms the receipt. */
  refunds: readonly RefundVerdict[]
}

export type ReceiptVerdict =
  /** The payer signed this payment for this payment intent, and the chain has it: at least its price. */
  | ({ type: 'proven' } & Verified)
  /**
   * The chain has the transfers, but they do not name the payment intent, as when somebody sends the exact amount by hand. Only the service
   * claims that they are for it, if it has `confirmed` the receipt, else only the bearer.
   */
  | ({ type: 'paid' } & Verified)
  /** Like `paid`, with less than the price; the merchant may have settled for it. */
  | ({ type: 'underpaid' } & Verified)
  /** The receipt makes a false claim. */
  | { type: 'refuted'; reason: Refutation; message: string }
  /** The chain could not be read. */
  | { type: 'unknown'; message: string }

/**
 * `malformed`: not a receipt. `token`: not USDC of a known chain. `reference`: the reference commits to other terms. `transfer`: the chain
 * does not have a transfer as the receipt says, or it moved no money. `another`: the payer's signed data names another payment intent, and
 * no service says otherwise. `refund`: the refund's reference commits to other terms, or the chain does not have its transfer.
 */
export type Refutation = 'malformed' | 'token' | 'reference' | 'transfer' | 'another' | 'refund'

type Options = { rpcUrl: string; serviceUrl?: string; signal?: AbortSignal }

const optionNames: OptionNames<Options> = { rpcUrl: true, serviceUrl: true, signal: true }

/**
 * Checks a receipt against the chain, so that either side can prove to a third that a payment was for an order. It recomputes the payment
 * reference from the terms and the salt, reads each transfer, and looks for the reference in the payer's signed data: the calldata, or the
 * nonce of an EIP-3009 authorization. It does the same for each refund, whose reference is the nonce that the merchant's wallet signed.
 * Everything else in a receipt is a claim of its bearer, unless the service confirms it.
 *
 * @param receipt the `receipt` of `resolve`, or the result of the server client's `retrieveReceipt`
 * @param options.rpcUrl a JSON-RPC provider of the receipt's chain that you trust
 * @param options.serviceUrl the payment service that the merchant uses, which confirms or denies the receipt. Take its URL
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
  const facts = chains.find((candidate) => candidate.chainId === chainId)
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
    fetchServiceReceipt(parsed, options),
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
  const context = { head, serviceRefunds: service.refunds }
  const refunds = await readRefunds(parsed, context, options)
  if (refunds.type === 'unknown') return refunds
  if (refunds.type === 'refuted') return refuted('refund', refunds.message)
  const verified = { payment, confirmation, refunds: refunds.refunds }
  const isComplete = payment.amountUnits >= BigInt(parsed.amount_units)
  if (!isComplete) return { type: 'underpaid', ...verified }
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
