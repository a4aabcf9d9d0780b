import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    name: 'server',
    globalSetup: './src/test/globalSetup.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
