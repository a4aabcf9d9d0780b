import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { installedChromium } from '../tests/support/installedChromium.ts'
import '../tests/support/patience.ts'
import { closingLine, type Results, resultsFolder } from '../tests/support/totals.ts'

/**
 * Every check and every test of the workspace: `test.ts [full]`. Turbo runs each package's tests as a task of its own, and restores
 * unchanged results from its cache. The totals of all of them close the run. `full` also runs the browser tests on the Chromium or Chrome
 * that this machine has, which is usually newer than the pinned browser.
 */
const root = join(import.meta.dirname, '..')
/** As vitest names its mode: `test` without `--mode`. */
const mode = process.argv[2] === 'full' ? 'full' : 'test'
const tests =
  mode === 'test' ? ['test'] : ['test:full', ...(installedChromium() ? ['test:installed'] : [])]
const tasks = ['lint', 'size', 'typecheck', 'lint:package', ...tests]
const modes = tests.length > 1 ? `{${mode},installed}` : mode
const results = () =>
  globSync(`{packages,apps,tests,scripts}/**/${resultsFolder}/${modes}.json`, options)
const options = { cwd: root, exclude: (path: string) => path.endsWith('node_modules') }

for (const path of results()) rmSync(join(root, path))
const cores = availableParallelism()
const turbo = spawn(
  process.execPath,
  [
    join(root, 'node_modules/turbo/bin/turbo'),
    ...['run', ...tasks, '--continue', `--concurrency=${cores + 2}`],
    ...['--output-logs=new-only', '--log-order=grouped', '--ui=stream'],
  ],
  {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      TURBO_TELEMETRY_DISABLED: '1',
      // Hundreds of processes compile the same modules.
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node'),
      TEST_IN_PACKAGES: 'true',
      TEST_MAX_WORKERS: String(cores),
    },
  },
)
const [code, signal] = (await once(turbo, 'close')) as [number | null, NodeJS.Signals | null]

const totals = { passed: 0, failed: 0, skipped: 0 }
const failures: string[] = []
const skips: string[] = []
for (const path of results()) {
  const results = JSON.parse(readFileSync(join(root, path), 'utf8')) as Results
  const { passed, failed, skipped } = results
  totals.passed += passed
  totals.failed += failed
  totals.skipped += skipped
  const [folder] = path.split(`/${resultsFolder}`)
  failures.push(...results.failures.map((failure) => `FAILED ${folder}/${failure}`))
  skips.push(...results.skips.map((skip) => `SKIPPED ${folder}/${skip}`))
  console.log(`${closingLine({ passed, failed, skipped })} in ${folder}`)
}
if (mode === 'full' && !installedChromium())
  console.log('No Chromium or Chrome is installed: browser tests ran on the pinned Chromium alone.')
for (const skip of skips) console.log(skip)
// Beside the totals, since the packages' own output may be far up.
for (const failure of failures) console.log(`\n${failure}`)
// A failed check, or a package whose tests did not finish, counts as another failure.
if (code !== 0 && totals.failed === 0) totals.failed = 1
console.log(`\n${closingLine(totals)}`)
process.exitCode = code ?? (signal ? 1 : 0)
