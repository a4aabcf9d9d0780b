import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** The rule checker of Prometheus, from Debian's package `prometheus`. */
const hasPromtool = spawnSync('promtool', ['--version']).status === 0
const cwd = join(import.meta.dirname, '../../../../deploy')
const promtool = (...args: string[]) => promisify(execFile)('promtool', args, { cwd })
const read = (file: string) => readFileSync(join(cwd, file), 'utf8')

test('each alert rule has a case in which it fires', () => {
  const rules = [...read('alerts.yaml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
  const [, firing = ''] =
    /- name: each fires when its trouble has lasted(.*?)\n {2}- name: /s.exec(
      read('alerts.test.yaml'),
    ) ?? []
  const fired = [...firing.matchAll(/labels: '\{alertname="(\w+)"/g)].map(([, name]) => name)
  expect(rules.length).toBeGreaterThan(0)
  expect(fired.sort()).toEqual(rules.sort())
})

test('the alert rules are valid, and each fires only if its fault lasts', async ({ skip }) => {
  skip(!hasPromtool, 'promtool is not installed')
  const { stdout } = await promtool('check', 'rules', 'alerts.yaml')
  expect(stdout).toMatch(/SUCCESS: \d+ rules found/)
  expect((await promtool('test', 'rules', 'alerts.test.yaml')).stdout).toContain('SUCCESS')
})
