import { type ChainFacts, usdcDecimals } from '@payment-intents/contract'
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import { z } from 'zod'
import type { Connection } from '../rpc/rpcConnection.ts'

export type Checked = { type: 'ok' } | { type: 'refused'; reason: string }

const abi = parseAbi([
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
])
type Name = (typeof abi)[number]['name']

const text = z.string().regex(/^0x[0-9a-fA-F]*$/)

/**
 * Checks that a provider serves this network, and its token for USDC: from another chain no payment would be found, and another token has another value.
 *
 * @throws {RpcError} when the provider does not respond
 */
export async function checkProvider(connection: Connection, facts: ChainFacts): Promise<Checked> {
  const call = (functionName: Name) => {
    const data = encodeFunctionData({ abi, functionName })
    return connection.request('eth_call', [{ to: facts.usdc, data }, 'latest'], text)
  }
  const chainId = Number(await connection.request('eth_chainId', [], text))
  if (chainId !== facts.chainId) {
    const reason = `serves chain ${chainId}, but ${facts.name} is chain ${facts.chainId}.`
    return { type: 'refused', reason }
  }
  const [symbol, decimals, separator] = await Promise.all([
    call('symbol'),
    call('decimals'),
    call('DOMAIN_SEPARATOR'),
  ])
  const isUsdc =
    decoded('symbol', symbol) === 'USDC' &&
    decoded('decimals', decimals) === usdcDecimals &&
    decoded('DOMAIN_SEPARATOR', separator) === facts.usdcDomainSeparator
  if (isUsdc) return { type: 'ok' }
  return {
    type: 'refused',
    reason: `has a token that is not USDC at ${facts.usdc} of ${facts.name}.`,
  }
}

/** null: the contract has no such function. An address without code returns no data for any call. */
function decoded(functionName: Name, response: string): unknown {
  try {
    return decodeFunctionResult({ abi, functionName, data: response as `0x${string}` })
  } catch {
    return null
  }
}
