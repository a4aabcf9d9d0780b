import { spawnSync } from 'node:child_process'

/** Milliseconds in which an ordinary machine at rest starts Node.js. */
const ordinaryStart = 45
/** Milliseconds that an ordinary machine may take for anything: far more than it ever needs. */
const ordinaryPatience = 60_000

/**
 * Milliseconds after which a test stops waiting, for anything. The only limit: it is scaled by how
 * long this machine takes to start Node.js, measured once per run, and handed to the processes of the run by
 * `TEST_PATIENCE_MS`. A test that has to be quick is compared with something measured in the same run instead.
 */
export const patience = Number(process.env.TEST_PATIENCE_MS ?? measure())
process.env.TEST_PATIENCE_MS = String(patience)

/** Limits of a client's calls, which end when a test's wait does. */
export const patientCalls = { timeout: patience, deadline: 5 * patience }

/** The factor, 1 or more, by which a scenario's times are prolonged here, so that the same happens within them. */
export const slowness = patience / ordinaryPatience

function measure(): number {
  const starts = Array.from({ length: 3 }, () => {
    const before = performance.now()
    spawnSync(process.execPath, ['--eval', '0'])
    return performance.now() - before
  })
  const ratio = Math.max(...starts) / ordinaryStart
  return Math.round(ordinaryPatience * Math.min(Math.max(ratio, 1), 10))
}
