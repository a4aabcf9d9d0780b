import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    name: 'consumers',
    globalSetup: ['./src/setup.ts', '../packages/browser/test/findChromium.ts'],
    testTimeout: 120_000,
    hookTimeout: 240_000,
  },
})
