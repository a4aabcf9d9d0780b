import { bundle } from './bundle.ts'
import { type RuntimeResult, runRuntime } from './matrix.ts'
import { rows } from './rows.ts'
import type { Runtime } from './runtimes.ts'

/** As many as a small machine runs without making calls late. */
const atOnce = 2

/** Runs the matrix, two runtimes at a time; gives a promise for each, in their order. */
export function runAll(runtimes: readonly Runtime[]): Promise<RuntimeResult>[] {
  const bundles = bundle()
  const started: Promise<RuntimeResult>[] = []
  for (const [index, runtime] of runtimes.entries()) {
    const before = Promise.all(started.slice(0, Math.max(0, index - atOnce + 1)))
    started.push(before.then(async () => runRuntime(runtime, await bundles, rows)))
  }
  return started
}
