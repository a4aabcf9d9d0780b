import fc from 'fast-check'
import { encodeFunctionData, parseAbi, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import { encodeTransfer, selectors } from './encodeTransfer.ts'

const abi = parseAbi(['function transfer(address to, uint256 amount) returns (bool)'])

test('the selectors are those of the signatures', () => {
  expect(selectors).toEqual({
    transfer: toFunctionSelector('transfer(address,uint256)'),
    authorizationState: toFunctionSelector('authorizationState(address,bytes32)'),
    balanceOf: toFunctionSelector('balanceOf(address)'),
    paused: toFunctionSelector('paused()'),
    isBlacklisted: toFunctionSelector('isBlacklisted(address)'),
  })
})

test('encodes a transfer of 12.34 USDC with the published reference', () => {
  const reference = '0x2ddce68075f1127f79b99bca42c33880db84b5094864bee18b40daf8228d4f9a'
  const data = encodeTransfer({ to: `0x${'11'.repeat(20)}`, amount: 12_340_000n, reference })
  expect(data).toBe(
    `0xa9059cbb${'0'.repeat(24)}${'11'.repeat(20)}${'0'.repeat(58)}bc4b20${reference.slice(2)}`,
  )
})

test('appends the reference to the standard encoding, for any values', () => {
  const hex = (bytes: number) =>
    fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => {
      return `0x${Buffer.from(value).toString('hex')}` as const
    })
  fc.assert(
    fc.property(hex(20), fc.bigInt(1n, 2n ** 256n - 1n), hex(32), (to, amount, reference) => {
      const standard = encodeFunctionData({ abi, functionName: 'transfer', args: [to, amount] })
      expect(encodeTransfer({ to, amount, reference })).toBe(standard + reference.slice(2))
    }),
  )
})
