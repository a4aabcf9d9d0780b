import type { Reporter, TestModule, Vitest } from 'vitest/node'
import { closingLine, writeTotals } from './totals.ts'

/** Counts what ran: for the closing line of a run by hand, and for that of `pnpm test`, which adds the packages up. */
export default class TotalReporter implements Reporter {
  // Assigned before any test runs.
  #vitest!: Vitest

  onInit(vitest: Vitest) {
    this.#vitest = vitest
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]) {
    const count = { passed: 0, failed: errors.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state] += 1
      // A file that breaks outside its tests has run none of them.
      count.failed += module.errors().length
    }
    const totals = { ...count, skipped: count.skipped + count.pending }
    const { root, mode } = this.#vitest.config
    writeTotals(root, mode, totals)
    // Under `pnpm test`, only the sum of all packages is the run's last line.
    if (!process.env.TEST_IN_PACKAGES) console.log(`\n${closingLine(totals)}`)
  }
}
