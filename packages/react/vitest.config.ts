import { defineProject } from 'vitest/config'

export default defineProject({
  test: { name: 'react', environment: 'happy-dom', testTimeout: 30_000 },
})
