import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    name: 'browser',
    globalSetup: './test/findChromium.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
