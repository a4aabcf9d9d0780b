import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Much of the time goes by in waiting: for blocks, for processes, for deadlines.
    maxWorkers: availableParallelism() + 1,
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
