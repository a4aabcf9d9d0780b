import type { CheckAccountSignature } from '@payment-intents/core'
import { encodeFunctionData, numberToHex, parseAbi } from 'viem'
import { z } from 'zod'
import type { Providers } from '../providers/providers.ts'
import { RpcError } from '../rpc/rpcError.ts'

const abi = parseAbi([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
])
/** `isValidSignature` of EIP-1271 returns its own selector. */
const valid = /^0x1626ba7e0{56}$/i
const bytes = z.string().regex(/^0x[0-9a-fA-F]*$/)
/** Gas of the account's code. Multisigs and passkeys use less than a million. */
const gas = numberToHex(3_000_000)

/**
 * Calls a ready provider.
 * @see https://eips.ethereum.org/EIPS/eip-1271
 */
export function createCheckAccountSignature(options: {
  readonly providers: (
    chainId: number,
  ) => Pick<Providers, 'choose' | 'checkHealth' | 'connections'> | null
  readonly log: { debug(fields: object, message: string): void }
}): CheckAccountSignature {
  return async ({ chainId, account, hash, signature }) => {
    const providers = options.providers(chainId)
    if (!providers) return null
    const args = [hash, signature] as const
    const data = encodeFunctionData({ abi, functionName: 'isValidSignature', args })
    try {
      if (!providers.choose()) await providers.checkHealth()
      const host = providers.choose()?.host
      const connection = providers.connections.find((connection) => connection.host === host)
      if (!connection) return null
      const call = [{ to: account, data, gas }, 'latest']
      return valid.test(await connection.request('eth_call', call, bytes))
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      if (error.fault === 'reverted') return false
      const fields = { chain_id: chainId, reason: error.message }
      options.log.debug(fields, 'a signature of an account could not be checked')
      return null
    }
  }
}
