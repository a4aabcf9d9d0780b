import { chainFacts } from '@payment-intents/contract'
import { startDevChain } from '@payment-intents/testing'
import { encodeFunctionData, encodeFunctionResult, type Hex, parseAbi } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { type FaultProxy, startFaultProxy } from '../../../test/support/chain/faultProxy.ts'
import { connect } from '../rpc/rpcConnection.ts'
import { checkProvider } from './checkProvider.ts'

const facts = chainFacts('testnet', 'base')
const abi = parseAbi([
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
])
type Name = (typeof abi)[number]['name']

let proxy: FaultProxy

beforeAll(async () => {
  const chain = await startDevChain({ blockTime: 0 })
  proxy = await startFaultProxy(chain.url)
  return async () => {
    await proxy.shut()
    await chain.stop()
  }
})

async function check() {
  const connection = connect(proxy.url)
  try {
    return await checkProvider(connection, facts)
  } finally {
    connection.close()
  }
}

function respondTo(functionName: Name, response: Hex): void {
  proxy.faults = { calls: { [encodeFunctionData({ abi, functionName })]: response } }
}

test('the token that is USDC in every respect is accepted', async () => {
  proxy.faults = {}
  expect(await check()).toEqual({ type: 'ok' })
})

test.each([
  ['symbol', encodeFunctionResult({ abi, functionName: 'symbol', result: 'USDbC' })],
  ['decimals', encodeFunctionResult({ abi, functionName: 'decimals', result: 18 })],
  [
    'DOMAIN_SEPARATOR',
    encodeFunctionResult({
      abi,
      functionName: 'DOMAIN_SEPARATOR',
      result: chainFacts('mainnet', 'base').usdcDomainSeparator,
    }),
  ],
  ['symbol', '0x'],
  ['decimals', '0x'],
  ['DOMAIN_SEPARATOR', '0x'],
] as const)('a token with another %s is refused: %s', async (name, response) => {
  respondTo(name, response)
  const reason = `has a token that is not USDC at ${facts.usdc} of Base Sepolia.`
  expect(await check()).toEqual({ type: 'refused', reason })
})
