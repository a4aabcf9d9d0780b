import { RpcError } from '../walletRpcError.ts'

export type WalletTransaction = {
  readonly from: string
  readonly to: string
  /** Wei, in hexadecimal. */
  readonly value?: string
  readonly data?: string
}

export type RequestedChain = { readonly chainId: string; readonly chainName: string }

const address = /^0x[0-9a-f]{40}$/i

/**
 * The transaction in the parameters of `eth_sendTransaction`, or a call with its sender.
 *
 * @throws RpcError −32602 when the parameters are malformed
 */
export function readTransaction(params: unknown): WalletTransaction {
  const { from, to, value, data, input } = first(params)
  const call = data ?? input
  if (typeof from !== 'string' || !address.test(from)) throw malformedTransaction()
  if (typeof to !== 'string' || !address.test(to)) throw malformedTransaction()
  if (value !== undefined && !isHex(value)) throw malformedTransaction()
  if (call !== undefined && !isHex(call)) throw malformedTransaction()
  return { from, to, ...(value && { value }), ...(call && { data: call }) }
}

/**
 * The chain in the parameters of `wallet_switchEthereumChain` (EIP-3326) and `wallet_addEthereumChain` (EIP-3085).
 *
 * @throws RpcError −32602 when the parameters are malformed
 */
export function readChain(params: unknown): RequestedChain {
  const { chainId, chainName } = first(params)
  if (typeof chainId !== 'string' || !/^0x[1-9a-f][0-9a-f]*$/.test(chainId)) {
    const message = 'A chain is named by `chainId` in hexadecimal, without leading zeros.'
    throw new RpcError(-32602, message)
  }
  return { chainId, chainName: typeof chainName === 'string' ? chainName : '' }
}

function first(params: unknown): Record<string, unknown> {
  return (Array.isArray(params) ? params[0] : null) ?? {}
}

function isHex(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value)
}

function malformedTransaction(): RpcError {
  const message =
    'A transaction has the addresses `from` and `to`, `value` and `data` in hexadecimal.'
  return new RpcError(-32602, message)
}
