import { referencedCalls, type TransferLog } from '@payment-intents/core'
import type { Receipt } from './parseReceipt.ts'
import { confirmationsOf, type Rpc, readMinedTransaction } from './readMinedTransaction.ts'
import { rpcTransport } from './rpcTransport.ts'

type Hex = `0x${string}`

/** A receipt's payment, as the chain has it. */
export type Paid = {
  /** The sum of the transfers. */
  readonly amountUnits: bigint
  /** The lowest count among the transfers: head − block + 1. */
  readonly confirmations: number
  readonly transfers: readonly PaidTransfer[]
}

export type PaidTransfer = {
  readonly txHash: Hex
  readonly from: Hex
  readonly amountUnits: bigint
  /** Unix seconds, the time of its block. */
  readonly timestamp: number
  /** The payer's signed data names the payment intent. */
  readonly namesIntent: boolean
  /** The payer's signed data names another payment intent, or has a random nonce, as payments by x402 do. */
  readonly namesAnother: boolean
}

type Read =
  | { type: 'read'; payment: Paid; head: number }
  | { type: 'absent'; message: string }
  | { type: 'unknown'; message: string }

/** Reads the transfers of a receipt from the chain. */
export async function readPayment(
  receipt: Receipt,
  options: { rpcUrl: string; signal?: AbortSignal },
): Promise<Read> {
  const rpc = rpcTransport(options)
  try {
    const [chainId, head] = await Promise.all([rpc('eth_chainId'), rpc('eth_blockNumber')])
    if (Number(chainId) !== receipt.chain_id) {
      const message = `${options.rpcUrl} is of chain ${Number(chainId)}, the receipt of ${receipt.chain_id}.`
      return { type: 'unknown', message }
    }
    const hashes = [...new Set(receipt.transfers.map(({ tx_hash: hash }) => hash))]
    const transactions = await Promise.all(hashes.map((hash) => readTransfers(rpc, receipt, hash)))
    const absent = transactions.find((read) => typeof read === 'string')
    if (absent !== undefined) return { type: 'absent', message: absent }
    const readable = transactions.filter((read) => typeof read !== 'string')
    const blocks = readable.map(({ blockNumber }) => blockNumber)
    return {
      type: 'read',
      head: Number(head),
      payment: {
        amountUnits: readable
          .flatMap(({ paid }) => paid)
          .reduce((sum, credited) => sum + credited.amountUnits, 0n),
        confirmations: confirmationsOf(Number(head), Math.max(...blocks)),
        transfers: readable.flatMap(({ paid }) => paid),
      },
    }
  } catch (error) {
    return { type: 'unknown', message: error instanceof Error ? error.message : String(error) }
  }
}

/** @returns the receipt's transfers in this transaction, or a sentence that says why the chain refutes them */
async function readTransfers(rpc: Rpc, receipt: Receipt, hash: Hex) {
  const token = receipt.token_address
  const mined = await readMinedTransaction(rpc, { hash, token })
  if (typeof mined === 'string') return mined
  const { transfers, timestamp } = mined
  const named = namedTransfers(receipt, {
    ...{ sender: mined.from, to: mined.to, input: mined.input },
    ...{ token, transfers },
  })
  const paid: PaidTransfer[] = []
  const listed = receipt.transfers.filter(({ tx_hash }) => tx_hash === hash)
  if (new Set(listed.map(({ log_index }) => log_index)).size < listed.length) {
    return `The receipt counts a transfer of ${hash} twice.`
  }
  for (const { log_index, amount_units, block_timestamp: time } of listed) {
    if (Date.parse(time) !== timestamp * 1000) return `${hash} was not at ${time}.`
    const transfer = transfers.find(({ logIndex }) => logIndex === log_index)
    if (transfer?.to !== receipt.expected_wallet || transfer.amount !== BigInt(amount_units)) {
      return `${hash} has no transfer of ${amount_units} units to ${receipt.expected_wallet} at log ${log_index}.`
    }
    paid.push({
      txHash: hash,
      from: transfer.from,
      amountUnits: transfer.amount,
      timestamp,
      ...named(transfer),
    })
  }
  return { paid, blockNumber: mined.blockNumber }
}

/**
 * Tells whether the payer's signed data names the intent, or another intent. Each reference in calldata stands for one transfer; if equal
 * transfers have more different references than there are transfers, the calldata does not show which are paid, and none counts.
 */
function namedTransfers(
  { payment_reference: ours }: Receipt,
  transaction: Parameters<typeof referencedCalls>[0],
): (transfer: TransferLog) => Pick<PaidTransfer, 'namesIntent' | 'namesAnother'> {
  const key = ({ from, to, amount }: Pick<TransferLog, 'from' | 'to' | 'amount'>) =>
    `${from}${to}${amount}`
  const input = withoutSuffix(transaction.input)
  const calls = referencedCalls({ ...transaction, input }).filter(({ reference }) =>
    isHash(reference),
  )
  /** The unused references of equal transfers. */
  const remaining = new Map<string, { ours: number; others: number }>()
  for (const call of calls) {
    const alike = calls
      .filter((other) => key(other) === key(call))
      .map(({ reference }) => reference)
    const others = new Set(alike.filter((reference) => reference !== ours)).size
    const transfers = transaction.transfers.filter((transfer) => key(transfer) === key(call)).length
    const mine = alike.filter((reference) => reference === ours).length
    const fit = others + Math.min(mine, 1) <= transfers
    remaining.set(key(call), {
      ours: fit ? Math.min(mine, transfers - others) : 0,
      others: fit ? others : 0,
    })
  }
  return (transfer) => {
    if (transfer.authorizationNonce !== null) {
      const namesIntent = transfer.authorizationNonce === ours
      return { namesIntent, namesAnother: !namesIntent }
    }
    const names = remaining.get(key(transfer))
    const namesIntent = names !== undefined && names.ours > 0
    if (namesIntent) names.ours -= 1
    return { namesIntent, namesAnother: !namesIntent && names !== undefined && names.others > 0 }
  }
}

/** Bytes with eight zeros in a row are the padding of an argument, or the data behind it. */
function isHash(word: Hex): boolean {
  return !/(00){8}/.test(word)
}

/** Removes the trailing bytes that name the builder (ERC-8021): codes, their length, the schema 0, and a marker. */
function withoutSuffix(input: Hex): Hex {
  const [, length] = /(..)00(?:8021){8}$/.exec(input) ?? []
  return length ? (input.slice(0, -2 * (18 + Number.parseInt(length, 16))) as Hex) : input
}
