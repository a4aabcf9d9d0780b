import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Of Prometheus; Debian has it in the package of that name. */
const hasPromtool = spawnSync('promtool', ['--version']).status === 0
const cwd = join(import.meta.dirname, '../../../../deploy')
const promtool = (...args: string[]) => promisify(execFile)('promtool', args, { cwd })

test.runIf(hasPromtool)(
  'the alert rules are valid; none fires while all is well, and each when its trouble lasts',
  async () => {
    const { stdout } = await promtool('check', 'rules', 'alerts.yaml')
    expect(stdout).toMatch(/SUCCESS: \d+ rules found/)
    expect((await promtool('test', 'rules', 'alerts.test.yaml')).stdout).toContain('SUCCESS')
  },
)
