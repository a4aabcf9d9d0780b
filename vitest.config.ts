import { defineConfig } from 'vitest/config'
import { patience } from './tests/support/patience.ts'
import { project } from './tests/support/project.ts'

/** Every test of the workspace in one run, for a contributor's loop: `pnpm vitest`, `pnpm test:unit`. */
export default defineConfig((env) => {
  // Unit tests need nothing of their packages' settings, and workers serve one project each: a project for all is quicker.
  const isUnit = env.mode === 'unit' && !process.argv.some((flag) => flag.startsWith('--project'))
  if (isUnit)
    return project('unit', { include: ['{packages,apps,scripts}/**/*.test.{ts,tsx}'] })(env)
  return {
    test: {
      projects: [
        'packages/*',
        'apps/*',
        'scripts',
        ...(env.mode === 'unit' ? [] : ['tests/*/vitest.config.ts']),
      ],
      // Until all that was started for the tests has ended.
      teardownTimeout: 5 * patience,
      reporters: ['default', './tests/support/totalReporter.ts'],
    },
  }
})
