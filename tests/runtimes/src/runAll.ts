import { PlatformError } from '../../../scripts/fetch/fetchPackages.ts'
import { bundleAgents } from './bundleAgents.ts'
import { type RuntimeResult, runRuntime } from './matrix.ts'
import type { Row } from './row.ts'
import type { Runtime } from './runtimes.ts'

export type Outcome =
  | ({ readonly type: 'ran' } & RuntimeResult)
  /** There is none for this platform. */
  | { readonly type: 'unsupported'; readonly why: string }
  /** It could not be fetched, or started. */
  | { readonly type: 'failed'; readonly error: Error }

/** As many as a small machine runs without delaying calls. */
const atOnce = 2

/** Runs the matrix, two runtimes at a time; gives a promise for each, in their order. */
export function runAll(
  runtimes: readonly Runtime[],
  rowsOf: (runtime: Runtime) => readonly Row[],
): Promise<Outcome>[] {
  const bundles = bundleAgents()
  const started: Promise<Outcome>[] = []
  for (const [index, runtime] of runtimes.entries()) {
    const before = Promise.all(started.slice(0, Math.max(0, index - atOnce + 1)))
    const run = async () => runRuntime(runtime, await bundles, rowsOf(runtime))
    started.push(before.then(run).then((result) => ({ type: 'ran', ...result }), failure))
  }
  return started
}

function failure(error: Error): Outcome {
  if (error instanceof PlatformError) return { type: 'unsupported', why: error.message }
  return { type: 'failed', error }
}
