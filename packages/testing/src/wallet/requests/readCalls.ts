import { RpcError } from '../walletRpcError.ts'
import { readTransaction, type WalletTransaction } from './requestParams.ts'

export type RequestedCalls = {
  /** Set by the page, if at all. */
  readonly id: string | undefined
  readonly chainId: string
  readonly transaction: WalletTransaction
}

/**
 * The single call in the parameters of `wallet_sendCalls`, version 2.0.0.
 *
 * @param account the sender if the page names none
 * @throws RpcError −32602 when they are malformed, 5700 for a required capability, 5740 for several
 * calls
 * @see https://eips.ethereum.org/EIPS/eip-5792
 */
export function readCalls(params: unknown, account: string): RequestedCalls {
  const request = Array.isArray(params) ? params[0] : null
  if (!isRecord(request)) throw malformed('takes one object.')
  const { version, id, from = account, chainId, atomicRequired, calls, capabilities } = request
  if (version !== '2.0.0') throw malformed("takes `version: '2.0.0'`.")
  if (id !== undefined && (typeof id !== 'string' || id.length === 0 || id.length > 4096)) {
    throw malformed('takes an `id` of 1 to 4096 characters, or none.')
  }
  if (typeof chainId !== 'string' || !/^0x[1-9a-f][0-9a-f]*$/i.test(chainId)) {
    throw malformed('takes a `chainId` in hexadecimal, without leading zeros.')
  }
  if (typeof atomicRequired !== 'boolean') throw malformed('takes `atomicRequired`, true or false.')
  if (!Array.isArray(calls) || !calls.every(isRecord)) throw malformed('takes a list of `calls`.')
  for (const requested of [capabilities, ...calls.map((call) => call.capabilities)]) {
    refuseRequired(requested)
  }
  const [call, ...more] = calls
  if (!call) throw malformed('takes a call.')
  if (more.length > 0) throw new RpcError(5740, 'This wallet sends one call at a time.')
  const { to, data, value } = call
  const transaction = readTransaction([{ from, to, data, value }])
  return { id, chainId: chainId.toLowerCase(), transaction }
}

function refuseRequired(capabilities: unknown): void {
  if (capabilities === undefined) return
  if (!isRecord(capabilities)) throw malformed('takes `capabilities` by name.')
  for (const [name, capability] of Object.entries(capabilities)) {
    if (isRecord(capability) && capability.optional === true) continue
    throw new RpcError(5700, `This wallet does not support the capability ${name}.`)
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function malformed(why: string): RpcError {
  return new RpcError(-32602, `wallet_sendCalls ${why}`)
}
