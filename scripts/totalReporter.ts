import type { Reporter, TestModule } from 'vitest/node'

/** Closes the run with one plain line: `N passed, N failed`, and skipped tests where there are any. */
export default class TotalReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]) {
    const totals = { passed: 0, failed: errors.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) totals[test.result().state] += 1
      // A file that breaks outside its tests has run none of them.
      totals.failed += module.errors().length
    }
    const skipped = totals.skipped + totals.pending
    console.log(
      `\n${totals.passed} passed, ${totals.failed} failed${skipped ? `, ${skipped} skipped` : ''}`,
    )
  }
}
