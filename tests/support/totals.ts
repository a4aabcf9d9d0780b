import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** How the tests of one package ended. */
export type Totals = { readonly passed: number; readonly failed: number; readonly skipped: number }

/** The file that a run leaves in the package's folder. */
export type Results = Totals & {
  /** Each failed test, or file that broke outside its tests, with its errors. */
  readonly failures: readonly string[]
  /** Each test that this machine cannot run, with the reason that it states. */
  readonly skips: readonly string[]
}

/** Where a run leaves its results, seen from the package: the task's output, so that a cached run brings them back. */
export const resultsFolder = 'test-results'

export function writeResults(packageFolder: string, mode: string, results: Results): void {
  const folder = join(packageFolder, resultsFolder)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${mode}.json`), JSON.stringify(results))
}

/** The plain line that closes a run. */
export function closingLine({ passed, failed, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`
}
