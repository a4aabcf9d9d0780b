import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Header } from '../../store/chains/blocks.ts'
import type { DeferredTransaction } from '../../store/chains/deferredTransactions.ts'
import { afterPoll, retriesOf, toBeDeferred, toDeferred } from './quarantine.ts'
import type { FailedTransaction } from './scan.ts'

const start = 1_800_000_000_000
const failing: FailedTransaction = {
  ...{ txHash: '0x1', blockNumber: 5n, blockHash: '0xb5', reason: 'unknown', isLarge: false },
}
const header: Header = { number: 5n, hash: '0xb5', parentHash: '0xb4', timestamp: 0 }
const window = new Map([[5n, header]])

/** The state after a transaction has failed at each of these milliseconds. */
function failedAt(...times: readonly number[]): DeferredTransaction {
  let deferred = toDeferred([])
  for (const ms of times) {
    const failed = toBeDeferred(deferred, [failing], { noLongerDeferred: [], now: start + ms })
    deferred = afterPoll(deferred, { failed, noLongerDeferred: [] })
  }
  return deferred.get('0x1') ?? expect.fail('it is not deferred')
}

test('a transaction that has just failed is read by the next poll, then after half of the time for which it has failed', () => {
  expect(failedAt(0).retryAt).toBe(start)
  expect(failedAt(0, 2_000).retryAt).toBe(start + 3_000)
  expect(failedAt(0, 2_000, 60_000).retryAt).toBe(start + 90_000)
  const aDay = 24 * 3_600_000
  expect(failedAt(0, aDay).retryAt).toBe(start + aDay + 3_600_000)
})

test('no failure moves the start of its failures forward, even by a clock that was set back', () => {
  expect(failedAt(0, 2_000, 29_999)).toMatchObject({ failingSince: start, isQuarantined: false })
  expect(failedAt(0, 30_000)).toMatchObject({ failingSince: start, isQuarantined: true })
  expect(failedAt(0, 30_000, -60_000)).toMatchObject({ isQuarantined: true })
})

test('a transaction that is not retried for long is still quarantined', () => {
  const deferred = toDeferred([failedAt(0)])
  const poll = (ms: number) => toBeDeferred(deferred, [], { noLongerDeferred: [], now: start + ms })
  expect(poll(29_999)).toEqual([])
  expect(poll(30_000)).toMatchObject([{ txHash: '0x1', isQuarantined: true }])
  expect(toBeDeferred(deferred, [], { noLongerDeferred: ['0x1'], now: start + 30_000 })).toEqual([])
})

describe('due transactions', () => {
  const many = toDeferred(
    Array.from({ length: 150 }, (_, index): DeferredTransaction => {
      const txHash: Hex = `0x${index}`
      return { ...failedAt(0), txHash, failingSince: start - index, retryAt: start - index }
    }),
  )

  test('a poll retries a hundred, those that began to fail last', () => {
    const { due, hasMore } = retriesOf(many, window, { now: start, rescanned: null })
    expect(due.map(({ txHash }) => txHash)).toEqual(
      Array.from({ length: 100 }, (_, index) => `0x${index}`),
    )
    expect(hasMore).toBe(true)
  })

  test('none is of a block that a reorg has replaced', () => {
    const replaced = new Map([[5n, { ...header, hash: '0xc5' as const }]])
    const { due, orphaned } = retriesOf(many, replaced, { now: start, rescanned: null })
    expect([due, orphaned.length]).toEqual([[], 150])
  })

  test('a transaction in blocks of a rescan is due', () => {
    const waiting = toDeferred([failedAt(0, 2_000)])
    const retries = (rescanned: { from: bigint; to: bigint } | null) =>
      retriesOf(waiting, window, { now: start + 2_000, rescanned }).due.length
    expect([retries(null), retries({ from: 6n, to: 9n }), retries({ from: 1n, to: 5n })]).toEqual([
      0, 0, 1,
    ])
  })
})
