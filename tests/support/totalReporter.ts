import type { Reporter, TestModule, Vitest } from 'vitest/node'
import { closingLine, writeResults } from './totals.ts'

/** Counts what ran: for the closing line of a run by hand, and for that of `pnpm test`, which adds the packages up. */
export default class TotalReporter implements Reporter {
  // Assigned before any test runs.
  #vitest!: Vitest

  onInit(vitest: Vitest) {
    this.#vitest = vitest
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly Failure[]) {
    const count = { passed: 0, failed: errors.length, skipped: 0, pending: 0 }
    const failures = errors.map((error) => describe('outside of any test', [error]))
    const skips: string[] = []
    for (const module of modules) {
      const file = module.relativeModuleId
      for (const test of module.children.allTests()) {
        const result = test.result()
        const { state, errors = [] } = result
        count[state] += 1
        if (result.state === 'skipped' && result.note)
          skips.push(`${file} > ${test.fullName}: ${result.note}`)
        if (state === 'failed') failures.push(describe(`${file} > ${test.fullName}`, errors))
      }
      // A file that breaks outside its tests has run none of them.
      count.failed += module.errors().length
      for (const error of module.errors()) failures.push(describe(file, [error]))
    }
    const totals = { ...count, skipped: count.skipped + count.pending }
    const { root, mode } = this.#vitest.config
    writeResults(root, mode, { ...totals, failures, skips })
    // Under `pnpm test`, only the sum of all packages is the run's last line.
    if (process.env.TEST_IN_PACKAGES) return
    for (const skip of skips) console.log(`\nSKIPPED ${skip}`)
    console.log(`\n${closingLine(totals)}`)
  }
}

type Failure = { readonly message: string; readonly stack?: string }

/** A few lines: the whole of it is in the output of the package. */
function describe(where: string, errors: readonly Failure[]): string {
  const lines = errors.flatMap(({ message, stack = '' }) => [
    ...message.split('\n').slice(0, 12),
    ...stack
      .split('\n')
      .filter((line) => /^\s+at .*\.tsx?:\d+/.test(line))
      .slice(0, 3),
  ])
  return [where, ...lines.map((line) => `  ${line}`)].join('\n')
}
