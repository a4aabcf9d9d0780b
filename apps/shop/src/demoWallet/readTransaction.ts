import { RpcError } from './rpcError.ts'

export type Transaction = {
  readonly from: string
  readonly to: string
  /** Wei, in hexadecimal. */
  readonly value?: string
  readonly data?: string
}

/** What a transaction does, as far as its payer can be told. */
export type Meaning =
  | {
      kind: 'transfer'
      recipient: string
      /** In the token's smallest units. */
      amount: bigint
      /** Calldata behind the call, such as a payment reference; '' where there is none. */
      attached: string
    }
  | { kind: 'other'; wei: bigint }

const address = /^0x[0-9a-f]{40}$/i
/** `transfer(address,uint256)`: the selector, two words, and whatever was added. */
const transferCall = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})([0-9a-f]*)$/i

/**
 * The transaction in the parameters of `eth_sendTransaction`.
 *
 * @throws RpcError −32602 when it is not one
 */
export function readTransaction(params: unknown): Transaction {
  const given: unknown = Array.isArray(params) ? params[0] : undefined
  if (typeof given !== 'object' || given === null) throw malformed()
  const { from, to, value, data, input } = given as Record<string, unknown>
  const call = data ?? input
  if (typeof from !== 'string' || !address.test(from)) throw malformed()
  if (typeof to !== 'string' || !address.test(to)) throw malformed()
  if (value !== undefined && !isHex(value)) throw malformed()
  if (call !== undefined && !isHex(call)) throw malformed()
  return { from, to, ...(value && { value }), ...(call && { data: call }) }
}

export function readMeaning(transaction: Transaction): Meaning {
  const wei = BigInt(transaction.value ?? 0)
  const [, recipient, amount, attached = ''] = transferCall.exec(transaction.data ?? '') ?? []
  if (!recipient || !amount || wei > 0n) return { kind: 'other', wei }
  return { kind: 'transfer', recipient: `0x${recipient}`, amount: BigInt(`0x${amount}`), attached }
}

function isHex(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value)
}

function malformed(): RpcError {
  return new RpcError(-32602, 'eth_sendTransaction takes one transaction with `from` and `to`.')
}
