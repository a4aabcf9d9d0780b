import { defineProject } from 'vitest/config'

export default defineProject({ test: { name: 'faults', testTimeout: 180_000 } })
