import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { until } from '../../../../../tests/support/until.ts'
import { createLargeReceipts } from './largeReceipts.ts'
import type { RpcReceipt } from './rpc.ts'

const blockHash: Hex = '0xb1'
const of = (txHash: Hex) => ({ txHash, blockHash })
const receiptIn = (block: Hex): RpcReceipt => ({ succeeded: true, blockHash: block, transfers: [] })

/** Requests that a test completes in its own time. */
function provider() {
  const requested: Hex[] = []
  const open: { resolve(receipt: RpcReceipt | null): void; reject(error: Error): void }[] = []
  const receipts = createLargeReceipts((txHash) => {
    requested.push(txHash)
    return new Promise((resolve, reject) => open.push({ resolve, reject }))
  })
  return { receipts, requested, next: () => open.shift() ?? expect.fail('nothing is requested') }
}

test('requests one at a time, newest first', async () => {
  const { receipts, requested, next } = provider()
  for (const txHash of ['0x1', '0x2', '0x3'] as const) {
    expect(receipts.read(of(txHash))).toBe('pending')
    expect(receipts.stateOf(txHash)).toBe('pending')
  }
  expect(requested).toEqual(['0x1'])
  next().resolve(receiptIn(blockHash))
  await until(() => expect(requested).toEqual(['0x1', '0x3']))
  expect(receipts.read(of('0x1'))).toEqual(receiptIn(blockHash))
})

test('a failed request gives its reason once, and is repeated after all others', async () => {
  const { receipts, requested, next } = provider()
  receipts.read(of('0x1'))
  next().reject(new Error('Too large.'))
  await until(() => expect(receipts.stateOf('0x1')).toBe('done'))
  receipts.read(of('0x2'))
  expect(() => receipts.read(of('0x1'))).toThrow('Too large.')
  receipts.read(of('0x3'))
  expect(receipts.read(of('0x1'))).toBe('pending')
  next().resolve(null)
  await until(() => expect(requested).toEqual(['0x1', '0x2', '0x3']))
  next().resolve(null)
  await until(() => expect(requested).toEqual(['0x1', '0x2', '0x3', '0x1']))
})

test('a receipt of a block that a reorg has replaced is requested again', async () => {
  const { receipts, requested, next } = provider()
  receipts.read(of('0x1'))
  next().resolve(receiptIn('0xa0'))
  await until(() => expect(receipts.stateOf('0x1')).toBe('done'))
  expect(receipts.read(of('0x1'))).toBe('pending')
  expect(requested).toEqual(['0x1', '0x1'])
})

test('results that nobody reads are dropped', async () => {
  const { receipts, next } = provider()
  const hashes = Array.from({ length: 40 }, (_, index): Hex => `0x${index + 10}`)
  for (const txHash of hashes) {
    receipts.read(of(txHash))
    next().resolve(receiptIn(blockHash))
    await until(() => expect(receipts.stateOf(txHash)).toBe('done'))
  }
  expect(hashes.filter((txHash) => receipts.stateOf(txHash) === 'done').length).toBeLessThan(20)
})
