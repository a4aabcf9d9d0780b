import { createTestDb, type TestDb } from '@payment-intents/server/test/support/database/testDb.ts'
import { afterAll, expect, test } from 'vitest'
import { patience } from '../../support/patience.ts'
import { isFull } from '../../support/tier.ts'

import { describePlan } from './plan/describe.ts'
import { drawPlan, type Plan } from './plan/drawPlan.ts'
import { shrink } from './plan/shrink.ts'
import { runWorld, type Tally } from './runWorld.ts'
import { Violation } from './violation.ts'

const wallets = Number(process.env.SIM_WALLETS ?? 100)
const worlds = Number(process.env.SIM_WORLDS ?? (isFull ? 100 : 3))
const firstSeed = Number(process.env.SIM_SEED ?? 1)
const seeds = Array.from(
  { length: process.env.SIM_SEED && !process.env.SIM_WORLDS ? 1 : worlds },
  (_, index) => firstSeed + index,
)
/** Worlds that run at once, so that one computes while another waits for the database. */
const lanes = 3

const tally: Tally = {}
afterAll(() => console.info('simulated:', tally))

test(`${seeds.length * wallets} histories lose, double and misplace nothing`, {
  timeout: 20 * patience,
}, async () => {
  const waiting = [...seeds]
  await Promise.all(
    Array.from({ length: Math.min(lanes, seeds.length) }, async () => {
      const db = await createTestDb()
      try {
        for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
          await db.clear()
          await runSeed(db, seed).catch((error) => {
            waiting.length = 0
            throw error
          })
        }
      } finally {
        await db.close()
      }
    }),
  )
  expect(tally.histories).toBe(seeds.length * wallets)
})

async function runSeed(db: TestDb, seed: number): Promise<void> {
  const plan = drawPlan(seed, wallets)
  try {
    for (const [name, count] of Object.entries(await runWorld(db, plan))) {
      tally[name] = (tally[name] ?? 0) + count
    }
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    const attempt = async (smaller: Plan) => {
      await db.clear()
      return runWorld(db, smaller).then(
        () => null,
        (failure) => (failure instanceof Violation ? failure : null),
      )
    }
    const smallest = await shrink(plan, error, attempt)
    throw new Error(
      [
        error.message,
        `after ${tally.histories ?? 0} histories. Replay: SIM_SEED=${seed} SIM_WALLETS=${wallets} npx vitest run --project simulation`,
        'The smallest that was found:',
        smallest.violation.message,
        describePlan(smallest.plan),
      ].join('\n'),
      { cause: error },
    )
  }
}
