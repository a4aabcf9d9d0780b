import { expect, test } from 'vitest'
import { drawPlan, full, quick } from './plan.ts'

test('a seed draws the same plan each time, and another seed draws another plan', () => {
  expect(drawPlan(7, quick)).toEqual(drawPlan(7, quick))
  expect(drawPlan(7, quick)).not.toEqual(drawPlan(8, quick))
})

test.each([quick, full])(
  'every fault of the size happens, and never after the last order',
  (size) => {
    const rounds = drawPlan(7, size)
    const faults = rounds.flatMap((round) => round.faults)
    const count = (type: string) => faults.filter(({ fault }) => fault.type === type).length
    expect(count('server_killed')).toBe(size.kills)
    expect(count('database_killed')).toBe(size.databaseKills)
    expect(count('reorg')).toBe(size.reorgs)
    expect(count('follower_suspended')).toBe(size.suspensions)
    for (const { after } of faults) expect(after).toBeLessThanOrEqual(size.ordersPerRound)
  },
)

test('both providers never hide all logs: then no payment could be found', () => {
  for (const { providers } of drawPlan(7, full)) {
    const silent = providers.filter(({ emptyLogs = 0 }) => emptyLogs > 30)
    expect(silent.length).toBeLessThan(2)
  }
})

test('a long run has a chain that stands still and transactions that nobody returns, of one provider and of both', () => {
  const rounds = drawPlan(7, full).map(({ providers }) => providers)
  for (const fault of ['isFrozen', 'unknown'] as const) {
    const struck = rounds.map(
      (providers) => providers.filter((provider) => fault in provider).length,
    )
    expect(struck).toEqual(expect.arrayContaining([1, 2]))
  }
})
