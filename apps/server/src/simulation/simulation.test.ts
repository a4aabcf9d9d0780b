import { afterAll, expect, test } from 'vitest'
import type { Db } from '../db/connect.ts'
import { createSimulationDb } from './database.ts'
import { describePlan } from './describe.ts'
import { drawPlan, type Plan } from './plan.ts'
import { shrink } from './shrink.ts'
import { Violation } from './violation.ts'
import { runWorld, type Tally } from './world.ts'

/** The histories of a run are at least 10,000; fewer worlds are for looking at something closely. */
const wallets = Number(process.env.SIM_WALLETS ?? 100)
const worlds = Number(process.env.SIM_WORLDS ?? 100)
const firstSeed = Number(process.env.SIM_SEED ?? 1)
const seeds = Array.from(
  { length: process.env.SIM_SEED ? 1 : worlds },
  (_, index) => firstSeed + index,
)
/** Worlds that live at once, so that one computes while another waits for the database. */
const lanes = 3

const tally: Tally = {}
afterAll(() => console.info('simulated:', tally))

test(`${seeds.length * wallets} histories lose, double and misplace nothing`, async () => {
  const waiting = [...seeds]
  await Promise.all(
    Array.from({ length: Math.min(lanes, seeds.length) }, async () => {
      const { db, clear, close } = await createSimulationDb()
      try {
        for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
          await clear()
          await live(db, clear, seed).catch((error) => {
            waiting.length = 0
            throw error
          })
        }
      } finally {
        await close()
      }
    }),
  )
  expect(tally.histories).toBe(seeds.length * wallets)
}, 1_200_000)

async function live(db: Db, clear: () => Promise<void>, seed: number): Promise<void> {
  const plan = drawPlan(seed, wallets)
  try {
    for (const [name, count] of Object.entries(await runWorld(db, plan))) {
      tally[name] = (tally[name] ?? 0) + count
    }
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    const attempt = async (smaller: Plan) => {
      await clear()
      return runWorld(db, smaller).then(
        () => null,
        (again) => (again instanceof Violation ? again : null),
      )
    }
    const smallest = await shrink(plan, error, attempt)
    throw new Error(
      [
        error.message,
        `after ${tally.histories ?? 0} histories. Replay: SIM_SEED=${seed} SIM_WALLETS=${wallets} npx vitest run --project server src/simulation`,
        'The smallest that was found:',
        smallest.violation.message,
        describePlan(smallest.plan),
      ].join('\n'),
      { cause: error },
    )
  }
}
