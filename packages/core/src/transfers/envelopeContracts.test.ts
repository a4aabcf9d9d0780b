import { erc20Abi, toFunctionSelector } from 'viem'
import {
  entryPoint06Abi,
  entryPoint06Address,
  entryPoint07Abi,
  entryPoint07Address,
  entryPoint08Abi,
  entryPoint08Address,
  entryPoint09Address,
} from 'viem/account-abstraction'
import { expect, test } from 'vitest'
import * as known from './envelopeContracts.ts'

const functions = Object.values(known).flatMap((value): known.EnvelopeFunction[] =>
  typeof value === 'object' && 'selector' in value ? [value] : [],
)

test('the entry points are viem’s', () => {
  const addresses = [
    ...[entryPoint06Address, entryPoint07Address, entryPoint08Address, entryPoint09Address],
  ]
  expect(known.entryPoints).toEqual(addresses.map((address) => address.toLowerCase()))
})

test.each(functions)('the selector of $name matches its parameters', (abiFunction) => {
  expect(`0x${abiFunction.selector}`).toBe(
    toFunctionSelector({ type: 'function', ...abi, ...abiFunction }),
  )
})

test('the selectors are those of the contracts’ own functions', () => {
  const selectorsOf = (contract: readonly { type: string }[]) =>
    contract.flatMap((item) => (item.type === 'function' ? toFunctionSelector(item as never) : []))
  const { handleOps6, handleOps7, handleAggregatedOps6, handleAggregatedOps7 } = known
  const has = (contract: readonly { type: string }[], ...wanted: known.EnvelopeFunction[]) =>
    expect(selectorsOf(contract)).toEqual(
      expect.arrayContaining(wanted.map(({ selector }) => `0x${selector}`)),
    )
  has(entryPoint06Abi, handleOps6, handleAggregatedOps6)
  has(entryPoint07Abi, handleOps7, handleAggregatedOps7)
  has(entryPoint08Abi, handleOps7, handleAggregatedOps7)
  expect(selectorsOf(erc20Abi)).toContain(`0x${known.transferSelector}`)
})

const abi = { outputs: [], stateMutability: 'nonpayable' } as const
