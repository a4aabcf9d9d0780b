import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    name: 'screens',
    globalSetup: '../packages/browser/test/findChromium.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Pages at once; they share two cores with a server, a database and a chain.
    maxConcurrency: 4,
  },
})
