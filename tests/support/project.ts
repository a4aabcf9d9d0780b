import { join } from 'node:path'
import {
  configDefaults,
  defineConfig,
  type TestProjectInlineConfiguration,
  type ViteUserConfig,
} from 'vitest/config'
import { patience } from './patience.ts'

type Test = NonNullable<TestProjectInlineConfiguration['test']>
type Options = Omit<Test, 'globalSetup' | 'sequence'> & {
  /** Holds where the package's own configuration is the run's. */
  readonly sequence?: NonNullable<NonNullable<ViteUserConfig['test']>['sequence']>
  /** Global setups: files of the package, or names of those in this folder. */
  readonly needs?: readonly string[]
}

/** For projects with hooks in modules that files share: a worker for all files, which each evaluate these modules anew. */
export const freshModules = {
  isolate: false,
  setupFiles: join(import.meta.dirname, 'freshModules.ts'),
} satisfies Options

const shared: Record<string, string> = {
  chromium: join(import.meta.dirname, 'runChromium.ts'),
  postgres: join(import.meta.dirname, 'startPostgres.ts'),
}

/**
 * The test settings of a package. Its mode is the tier: `unit` leaves out what needs a database, a chain, a browser, a
 * process or a build, and starts none of them; `full` has the large counts (`import.meta.env.MODE`)
 * and the files that are called `*.full.test.*`; `installed` runs on the machine's own Chromium instead of the pinned Chromium.
 */
export function project(name: string, { needs = [], ...test }: Options = {}) {
  return defineConfig(({ mode }) => ({
    // Packages of the workspace are their sources, as their `source` condition says: nothing has to be built.
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    test: {
      name,
      // Read when the package runs alone; the root has its own.
      reporters: ['default', join(import.meta.dirname, 'totalReporter.ts')],
      ...(mode === 'unit' ? unit : { globalSetup: needs.map((need) => shared[need] ?? need) }),
      ...(mode === 'test' || mode === 'installed'
        ? { exclude: [...configDefaults.exclude, '**/*.full.test.*'] }
        : {}),
      // Mocks of one file do not reach the next.
      restoreMocks: true,
      unstubEnvs: true,
      unstubGlobals: true,
      // A test may wait many times. Each wait ends by itself, with an error that says what for.
      testTimeout: 5 * patience,
      hookTimeout: 5 * patience,
      teardownTimeout: 5 * patience,
      expect: { poll: { timeout: patience } },
      // As many as `pnpm test` says, unless the package knows better: `VITEST_MAX_WORKERS` goes before both.
      ...(process.env.TEST_MAX_WORKERS ? { maxWorkers: Number(process.env.TEST_MAX_WORKERS) } : {}),
      ...test,
    },
  }))
}

/** Files share a worker: to start one for each takes longer than its tests. */
const unit: Test = {
  exclude: [...configDefaults.exclude, '**/*.{integration,full}.test.*', '**/test/**'],
  isolate: false,
  maxWorkers: '100%',
}

// Without `module`: what packages name so is for bundlers, and Node.js may not load it.
const conditions = ['source', 'node', 'development|production']
