import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { createLargeReceipts } from './largeReceipts.ts'
import { readTransactions, type TransactionRpc } from './readTransactions.ts'
import { RpcError } from './rpcError.ts'

const blockHash: Hex = '0xb1'
const places = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ txHash: `0x${index}` as Hex, blockHash }))
const receipt = { succeeded: true, blockHash, transfers: [] }

/** A provider of transactions with this much gas; a `breaking` transaction fails every request that names it. */
function provider(gas: bigint, breaking: ReadonlySet<Hex> = new Set()) {
  /** The receipts of each request: those requested in one turn of the event loop, or alone. */
  const requests: Hex[][] = []
  const large: Hex[] = []
  let open: Hex[] | null = null
  const send = async (txHash: Hex, single: boolean) => {
    const request = (single ? null : open) ?? []
    if (request.length === 0) requests.push(request)
    if (!single) open = request
    request.push(txHash)
    await new Promise(setImmediate)
    open = null
    if (request.some((name) => breaking.has(name))) throw new RpcError('unavailable', 'HTTP 502')
  }
  const rpc: TransactionRpc = {
    transaction: async () => ({ sender: '0x', to: null, input: '0x', gas }),
    async receipt(txHash, { unbatched = false } = {}) {
      await send(txHash, unbatched)
      return receipt
    },
    largeReceipts: createLargeReceipts(async (txHash) => {
      large.push(txHash)
      return receipt
    }),
  }
  return { rpc, requests, large }
}

test('receipts are requested together as long as their gas keeps them small', async () => {
  const { rpc, requests } = provider(1_000_000n)
  const results = await readTransactions(rpc, places(20))
  expect(requests.map(({ length }) => length)).toEqual([8, 8, 4])
  expect([...results.values()].every(({ type }) => type === 'read')).toBe(true)
})

test('receipts that may be large are requested alone, for a later poll', async () => {
  const { rpc, requests, large } = provider(16_777_216n)
  const firstRead = await readTransactions(rpc, places(3))
  expect(requests).toEqual([])
  for (const result of firstRead.values())
    expect(result).toMatchObject({ type: 'failed', isLarge: true })
  while (large.length < 3) await new Promise(setImmediate)
  const secondRead = await readTransactions(rpc, places(3))
  expect([...secondRead.values()].filter(({ type }) => type === 'read').length).toBeGreaterThan(1)
})

test('a transaction that breaks a request fails alone', async () => {
  const { rpc, requests } = provider(21_000n, new Set(['0x3', '0x7']))
  const results = await readTransactions(rpc, places(10))
  const failed = [...results].flatMap(([txHash, { type }]) => (type === 'failed' ? [txHash] : []))
  expect(failed.sort()).toEqual(['0x3', '0x7'])
  expect(requests.map(({ length }) => length)).toEqual([10, ...Array(10).fill(1)])
})

test('an unreachable provider does not get every request again', async () => {
  const all = places(1_000)
  const { rpc, requests } = provider(21_000n, new Set(all.map(({ txHash }) => txHash)))
  await readTransactions(rpc, all)
  expect(requests.filter(({ length }) => length === 1)).toHaveLength(100)
})
