import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { payer, refuse, scriptedProvider } from '../../test/support/scriptedProvider.ts'
import { watchSending } from './watchSending.ts'

const txHash = `0x${'cd'.repeat(32)}`
const pendingTransaction = { nonce: '0x7' }
const silence = () => new Promise(() => {})

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function watch(script: Record<string, unknown>, sending: { batchId?: string } = {}) {
  const ending = new AbortController()
  const wallet = scriptedProvider(script)
  const onHash = vi.fn()
  const sent = { payer, txHash: sending.batchId ? null : txHash, batchId: null, ...sending }
  const state: { result: unknown } = { result: 'watching' }
  const done = watchSending(wallet.provider, sent, { onHash, signal: ending.signal }).then(
    (result) => {
      state.result = result
    },
  )
  const after = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms)
    return state.result
  }
  return { ...wallet, after, done, end: () => ending.abort(), onHash }
}

/** A node's responses about a transaction, in order. */
function node({
  transaction = [pendingTransaction] as unknown[],
  used = ['0x7'],
  receipt = [null] as unknown[],
}) {
  return {
    eth_getTransactionByHash: transaction,
    eth_getTransactionCount: used,
    eth_getTransactionReceipt: receipt,
  }
}

test.each([
  ['0x1', null],
  ['0x0', 'tx_reverted'],
])('a receipt with status %s ends the watch with %s', async (status, expected) => {
  const { after } = watch(node({ receipt: [null, { status }] }))
  expect(await after(0)).toBe('watching')
  expect(await after(2000)).toBe(expected)
})

test('another transaction with the same nonce replaces the payment after the grace period', async () => {
  const { after } = watch(node({ transaction: [pendingTransaction, null], used: ['0x7', '0x8'] }))
  expect(await after(2000)).toBe('watching')
  expect(await after(9000)).toBe('watching')
  expect(await after(2000)).toBe('tx_replaced')
})

test('a transaction that is mined between two reads has not been replaced', async () => {
  const mined = { status: '0x1' }
  const { after } = watch(node({ used: ['0x7', '0x8'], receipt: [null, mined] }))
  expect(await after(2000)).toBe(null)
})

test('a transaction that no node shows for half a minute is dropped', async () => {
  const { after } = watch(node({ transaction: [null] }))
  expect(await after(29_000)).toBe('watching')
  expect(await after(2000)).toBe('tx_dropped')
})

test('a transaction that a node shows again in time is still watched', async () => {
  const missing = Array.from({ length: 14 }, () => null)
  const { after } = watch(node({ transaction: [...missing, pendingTransaction] }))
  expect(await after(120_000)).toBe('watching')
})

test.each([
  [100, 'watching'],
  [200, null],
  [400, 'tx_dropped'],
  [500, 'tx_reverted'],
  [600, 'watching'],
])('a batch with status %d leads to %s', async (status, expected) => {
  const receipts = [{ transactionHash: txHash }]
  const script = { wallet_getCallsStatus: [{ status: 100 }, { status, receipts }] }
  const { after, onHash } = watch(script, { batchId: '0x01' })
  expect(await after(2000)).toBe(expected)
  expect(onHash.mock.calls).toEqual(status === 200 ? [[txHash]] : [])
})

test('a wallet that cannot read is not polled again', async () => {
  const { after, calls } = watch({})
  expect(await after(0)).toBe(null)
  expect(calls).toHaveLength(1)
})

test('a wallet that cannot read now is polled again', async () => {
  const providerError = refuse({ code: -32603, message: 'upstream' })
  const script = node({ receipt: [{ status: '0x0' }] })
  const { after } = watch({
    ...script,
    eth_getTransactionByHash: [providerError, pendingTransaction],
  })
  expect(await after(2000)).toBe('tx_reverted')
})

test.each([
  ['between two reads', node({})],
  ['while the wallet does not respond', { eth_getTransactionByHash: silence }],
])('a watch that is ended %s sends no more requests and leaves no timer', async (_, script) => {
  const { after, calls, done, end } = watch(script)
  await after(0)
  const callsBefore = calls.length
  end()
  await done
  await after(60_000)
  expect(calls).toHaveLength(callsBefore)
  expect(vi.getTimerCount()).toBe(0)
})
