import { expect, test } from 'vitest'
import type { Reverts } from '../../store/relaying/reverts.ts'
import type { Outstanding } from '../../store/relaying/transactions.ts'
import { cutOffAccounts, withinAccountLimits } from './withinAccountLimits.ts'
import type { Ready } from './withinBudget.ts'

type Case = readonly [account: string, codeHash: string | null]

function allowed(
  waiting: readonly Case[],
  current: { pending?: readonly Case[]; accounts?: object; codes?: object } = {},
): number[] {
  const ready = waiting.map(
    ([authorizer, codeHash], id) =>
      ({ type: 'ready', waiting: { id: String(id), authorizer }, codeHash }) as Ready,
  )
  const outstanding = (current.pending ?? []).map(
    ([authorizer, codeHash], id) =>
      ({ state: 'pending', codeHash, authorization: { id: `p${id}`, authorizer } }) as Outstanding,
  )
  const reverts = {
    byAccount: new Map(Object.entries(current.accounts ?? {})),
    byCodeHash: new Map(Object.entries(current.codes ?? {})),
  } as Reverts
  return withinAccountLimits(ready, { outstanding, reverts }).map(({ waiting: { id } }) =>
    Number(id),
  )
}

const many = (example: Case, count: number) => Array.from({ length: count }, () => example)

test('an account has fifty in flight and a code twenty; the others wait without delaying anybody', () => {
  const waiting: Case[] = [...many(['a', null], 55), ['b', null]]
  expect(allowed(waiting)).toHaveLength(51)
  expect(allowed(waiting, { pending: many(['a', null], 50) })).toEqual([55])
  const codes = Array.from({ length: 30 }, (_, index): Case => [`c${index}`, 'code'])
  expect(allowed([...codes, ['d', 'other']])).toEqual([...Array(20).keys(), 30])
})

test('after a revert, an account has one in flight, and a code two', () => {
  const waiting: Case[] = [...many(['a', null], 3), ...many(['b', null], 2)]
  expect(allowed(waiting, { accounts: { a: 1 } })).toEqual([0, 3, 4])
  expect(allowed(waiting, { accounts: { a: 1 }, pending: [['a', null]] })).toEqual([3, 4])
  const codes: Case[] = ['c', 'd', 'e'].map((account) => [account, 'code'])
  expect(allowed(codes, { codes: { code: 1 } })).toEqual([0, 1])
})

test('after its last revert, nothing more', () => {
  expect(allowed([['a', null]], { accounts: { a: 10 } })).toEqual([])
  expect(allowed([['a', 'code']], { codes: { code: 20 } })).toEqual([])
  expect(allowed([['a', null]], { accounts: { a: 9 } })).toEqual([0])
  expect(
    cutOffAccounts({
      byAccount: new Map([
        ['a', 10],
        ['b', 9],
      ]),
      byCodeHash: new Map(),
    }),
  ).toEqual(['a'])
})
