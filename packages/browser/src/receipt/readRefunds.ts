import { refundReference, type TransferLog } from '@payment-intents/core'
import type { Receipt, ReceiptRefund } from './parseReceipt.ts'
import {
  confirmationsOf,
  type MinedTransaction,
  readMinedTransaction,
} from './readMinedTransaction.ts'
import { rpcTransport } from './rpcTransport.ts'

type Hex = `0x${string}`

/**
 * A refund of a receipt. `proven`: `from` signed this refund, and the chain has its transfer. `stated`: the chain has a transfer of this
 * amount between these accounts; only the shop claims that it is this refund, if the service confirms it, else only the bearer. `pending`:
 * the chain has no transfer yet.
 */
export type RefundVerdict = {
  readonly type: 'proven' | 'stated' | 'pending'
  readonly id: string
  readonly amountUnits: bigint
  readonly from: Hex
  readonly destination: Hex
  readonly txHash: Hex | null
  /** Unix seconds, the time of its block; null while it is pending. */
  readonly timestamp: number | null
  /** Head − block + 1; 0 while it is pending. */
  readonly confirmations: number
  /** Whether the service lists it with the same amount, accounts and transaction. */
  readonly isConfirmed: boolean
}

type Read =
  | { type: 'read'; refunds: readonly RefundVerdict[] }
  | { type: 'refuted'; message: string }
  | { type: 'unknown'; message: string }

/** Whether the reference of a refund commits to its terms and to the receipt's payment intent. */
export function isCommitted(receipt: Receipt, refund: ReceiptRefund): boolean {
  const reference = refundReference({
    id: refund.id,
    source: receipt.payment_intent,
    chainId: receipt.chain_id,
    token: receipt.token_address,
    amount: BigInt(refund.amount_units),
    salt: refund.salt,
  })
  return reference === refund.refund_reference
}

/**
 * Reads the refunds of a receipt from the chain, and those that the service has made since.
 *
 * @param context.serviceRefunds the refunds that the service lists, if it confirms the receipt
 * @param known.head the chain's newest block
 */
export async function readRefunds(
  receipt: Receipt,
  context: { serviceRefunds: readonly ReceiptRefund[]; head: number },
  options: { rpcUrl: string; signal?: AbortSignal },
): Promise<Read> {
  const refunds = newestOf(receipt, context.serviceRefunds)
  const rpc = rpcTransport(options)
  const token = receipt.token_address
  const hashes = new Set(refunds.flatMap(({ tx_hash: hash }) => hash ?? []))
  try {
    const mined = await Promise.all(
      [...hashes].map(
        async (hash) => [hash, await readMinedTransaction(rpc, { hash, token })] as const,
      ),
    )
    const verdicts = judgeRefunds(refunds, { ...context, mined: new Map(mined) })
    const problem = verdicts.find((verdict) => typeof verdict === 'string')
    if (problem !== undefined) return { type: 'refuted', message: problem }
    return { type: 'read', refunds: verdicts.filter((verdict) => typeof verdict !== 'string') }
  } catch (error) {
    return { type: 'unknown', message: error instanceof Error ? error.message : String(error) }
  }
}

/** The receipt's refunds, in the service's version if they were in no block, then those that only the service lists. */
function newestOf(receipt: Receipt, serviceRefunds: readonly ReceiptRefund[]): ReceiptRefund[] {
  const receiptRefunds = receipt.refunds ?? []
  const newer = serviceRefunds.filter((refund) => isCommitted(receipt, refund))
  const isListed = ({ id }: ReceiptRefund) => receiptRefunds.some((refund) => refund.id === id)
  return [
    ...receiptRefunds.map((refund) => {
      const isOpen = refund.tx_hash === null
      return (isOpen && newer.find(({ id }) => id === refund.id)) || refund
    }),
    ...newer.filter((refund) => !isListed(refund)),
  ]
}

type RefundContext = {
  readonly mined: ReadonlyMap<Hex, MinedTransaction | string>
  readonly serviceRefunds: readonly ReceiptRefund[]
  readonly head: number
}

/** @returns each refund's verdict, or a sentence that says why the chain refutes it */
function judgeRefunds(
  refunds: readonly ReceiptRefund[],
  { mined, serviceRefunds, head }: RefundContext,
) {
  const references = new Set<Hex | null>(refunds.map((refund) => refund.refund_reference))
  /** Each transfer pays one refund. */
  const usedTransfers = new Set<TransferLog>()
  return refunds.map((refund): RefundVerdict | string => {
    const { id, tx_hash: hash } = refund
    const isConfirmed = serviceRefunds.some((other) => isSame(other, refund))
    const terms = {
      ...{ id, amountUnits: BigInt(refund.amount_units), from: refund.from },
      ...{ destination: refund.destination, txHash: hash, isConfirmed },
    }
    const transaction = hash === null ? 'It is in no block.' : (mined.get(hash) ?? '')
    if (typeof transaction === 'string') {
      const pending = { type: 'pending', timestamp: null, confirmations: 0 } as const
      return refund.status === 'pending' ? { ...terms, ...pending } : `${id}: ${transaction}`
    }
    const named = transaction.transfers.find(({ authorizationNonce: nonce, from }) => {
      return nonce === refund.refund_reference && from === refund.from
    })
    // Another nonce names something else, unless the service knows better.
    const unnamed = transaction.transfers.filter(({ authorizationNonce: nonce }) => {
      return nonce === null || (isConfirmed && !references.has(nonce))
    })
    const transfer =
      named ?? unnamed.find((other) => !usedTransfers.has(other) && isPaidBy(refund, other))
    if (!transfer || !isPaidBy(refund, transfer)) return absent(refund)
    usedTransfers.add(transfer)
    return {
      ...{ ...terms, type: named ? 'proven' : 'stated', timestamp: transaction.timestamp },
      confirmations: confirmationsOf(head, transaction.blockNumber),
    }
  })
}

function isPaidBy(refund: ReceiptRefund, { from, to, amount }: TransferLog): boolean {
  const isAmount = amount === BigInt(refund.amount_units)
  return isAmount && from === refund.from && to === refund.destination
}

function isSame(a: ReceiptRefund, b: ReceiptRefund): boolean {
  const fields = [
    'id',
    'amount_units',
    'from',
    'destination',
    'tx_hash',
    'refund_reference',
  ] as const
  return fields.every((field) => a[field] === b[field])
}

function absent({ id, tx_hash: hash, amount_units: units, from, destination }: ReceiptRefund) {
  return `${id}: ${hash} has no transfer of ${units} units from ${from} to ${destination}.`
}
