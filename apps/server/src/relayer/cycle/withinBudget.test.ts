import { expect, test } from 'vitest'
import { type Ready, withinBudget } from './withinBudget.ts'

const limits = { maxFeePerGas: 10n, dailySpend: 1_000n, merchantDailySpend: 300n }
const fees = { maxFeePerGas: 5n, maxPriorityFeePerGas: 1n }
/** Two wei per gas. */
const snapshot = { price: { base: 1n, tip: 1n }, balance: 10_000n }
const nothing = { total: 0n, byMerchant: new Map<string, bigint>() }

/**
 * Offers authorizations of these merchants in sequence, each with this much gas.
 * @returns the indexes of those within the budget
 */
function submitted(
  waiting: readonly [merchantId: string, gas: bigint][],
  input: Partial<Parameters<typeof withinBudget>[2]> = {},
) {
  const all = waiting.map(([merchantId, gas], id) => {
    const call = { to: '0x1', data: '0x', gas }
    return { type: 'ready', waiting: { id: String(id), merchantId }, call } as Ready
  })
  const memory = { exhausted: new Set(['old']) }
  const of = { ready: all, snapshot, spend: nothing, reserved: 0n, fees, ...input }
  const ready = withinBudget(limits, memory, of)
  return { ready: ready.map(({ waiting: { id } }) => Number(id)), exhausted: [...memory.exhausted] }
}

test('a merchant over its limit stops no other', () => {
  expect(
    submitted([
      ['a', 100n],
      ['a', 100n],
      ['b', 100n],
      ['a', 10n],
      ['b', 10n],
    ]),
  ).toEqual({ ready: [0, 2, 3, 4], exhausted: ['a'] })
})

test('earlier spending counts', () => {
  const spend = { total: 900n, byMerchant: new Map([['a', 250n]]) }
  const waiting: [string, bigint][] = [
    ['a', 50n],
    ['b', 40n],
    ['b', 40n],
  ]
  expect(submitted(waiting, { spend })).toEqual({ ready: [1], exhausted: ['a'] })
})

test('an authorization beyond the balance at the highest price waits, recorded transactions included; a cheaper one is sent', () => {
  const balance = 600n
  const waiting: [string, bigint][] = [
    ['a', 100n],
    ['b', 50n],
    ['c', 20n],
  ]
  expect(submitted(waiting, { snapshot: { ...snapshot, balance } }).ready).toEqual([0, 2])
  expect(submitted(waiting, { snapshot: { ...snapshot, balance }, reserved: 350n }).ready).toEqual([
    1,
  ])
  expect(submitted(waiting, { snapshot: { ...snapshot, balance }, reserved: 600n }).ready).toEqual(
    [],
  )
})
