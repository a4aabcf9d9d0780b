import { defineProject } from 'vitest/config'
import { compileToken } from './scripts/compileToken.ts'

export default defineProject({
  plugins: [
    {
      name: 'solidity',
      enforce: 'pre',
      load(id) {
        if (id.endsWith('.sol')) return `export default '${compileToken()}'`
      },
    },
  ],
  test: {
    name: 'testing',
    globalSetup: '../browser/test/findChromium.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
