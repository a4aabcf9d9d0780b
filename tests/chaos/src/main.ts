import { full, quick, type Size } from './plan.ts'
import { runTrial } from './trial.ts'

/** `pnpm chaos [--quick]`, with a seed and the counts of faults from the environment. */
const base = process.argv.includes('--quick') ? quick : full
const seed = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 1_000_000))
const size: Size = {
  ordersPerRound: Number(process.env.CHAOS_ORDERS ?? base.ordersPerRound),
  kills: Number(process.env.CHAOS_KILLS ?? base.kills),
  databaseKills: Number(process.env.CHAOS_DATABASE_KILLS ?? base.databaseKills),
  reorgs: Number(process.env.CHAOS_REORGS ?? base.reorgs),
  suspensions: Number(process.env.CHAOS_SUSPENSIONS ?? base.suspensions),
}

console.log(`CHAOS_SEED=${seed}`, size)
const startedAt = performance.now()
const seconds = () => Math.round((performance.now() - startedAt) / 1_000)
const { violations, tally } = await runTrial(seed, size, (line) => {
  console.log(`${seconds()} s: ${line}`)
})
console.log(tally)
for (const { invariant, about } of violations) console.log(`✗ ${invariant}: ${about}`)
console.log(`${violations.length} violations in ${seconds()} s, CHAOS_SEED=${seed}`)
process.exitCode = violations.length > 0 ? 1 : 0
