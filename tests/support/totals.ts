import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** How the tests of one package ended. */
export type Totals = { readonly passed: number; readonly failed: number; readonly skipped: number }

/** Where a run leaves its totals, seen from the package: the task's output, so that a cached run brings them back. */
export const totalsFolder = 'test-results'

export function writeTotals(packageFolder: string, mode: string, totals: Totals): void {
  const folder = join(packageFolder, totalsFolder)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${mode}.json`), JSON.stringify(totals))
}

/** The plain line that closes a run. */
export function closingLine({ passed, failed, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`
}
