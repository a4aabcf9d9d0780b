import { expect, test } from 'vitest'
import { patience } from '../../support/patience.ts'
import { isFull } from '../../support/tier.ts'
import { full, quick } from './plan.ts'
import { runTrial } from './trial.ts'

const seed = Number(process.env.CHAOS_SEED ?? 1)

test(`servers, PostgreSQL and the chain fail, and every invariant holds: CHAOS_SEED=${seed}`, {
  timeout: 20 * patience,
}, async () => {
  const { violations, tally } = await runTrial(seed, isFull ? full : quick)
  console.info(`chaos: seed ${seed}`, tally)
  expect(violations).toEqual([])
  // A run without faults would prove nothing. How much of a reorg the servers saw is chance.
  const { orphaned, reversed, ...certain } = tally
  for (const [what, count] of Object.entries(certain)) expect(count, what).toBeGreaterThan(0)
})
