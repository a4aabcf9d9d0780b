import { type Address, chainFactsOf } from '@payment-intents/contract'
import type { Service } from '@payment-intents/core'
import { encodeFunctionData, erc20Abi } from 'viem'
import { z } from 'zod'
import type { Providers } from '../providers/providers.ts'
import { RpcError } from '../rpc/rpcError.ts'

const word = z.string().regex(/^0x[0-9a-fA-F]{64}$/)

/** Requests an account's USDC from a ready provider. Callers work without it, too. */
export function createReadBalance(options: {
  readonly providers: (chainId: number) => Pick<Providers, 'choose' | 'connections'> | null
  readonly log: { debug(fields: object, message: string): void }
}): Service['readBalance'] {
  return async (chainId: number, account: Address) => {
    const providers = options.providers(chainId)
    const host = providers?.choose()?.host
    const connection = providers?.connections.find((connection) => connection.host === host)
    if (!connection) return null
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] })
    const call = [{ to: chainFactsOf(chainId).usdc, data }, 'latest']
    try {
      return BigInt(await connection.request('eth_call', call, word))
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      options.log.debug({ chain_id: chainId, reason: error.message }, 'a balance could not be read')
      return null
    }
  }
}
