import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// Much of the time goes by in waiting: for blocks, for processes, for deadlines. The variable reaches every project.
process.env.VITEST_MAX_WORKERS ??= String(availableParallelism() + 1)

export default defineConfig({
  test: {
    projects: [
      'packages/*',
      'apps/*',
      'faults',
      'consumers',
      'screens',
      {
        test: {
          name: 'scripts',
          include: ['scripts/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
    ],
    reporters: ['default', './scripts/totalReporter.ts'],
  },
})
