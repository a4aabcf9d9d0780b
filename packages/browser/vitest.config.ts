import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    name: 'browser',
    globalSetup: './test/findChromium.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A machine that is busy may take its time.
    expect: { poll: { timeout: 15_000 } },
  },
})
