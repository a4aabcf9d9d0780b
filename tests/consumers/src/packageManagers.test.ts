import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { fetchExecutable } from '../../../scripts/fetch/fetchExecutable.ts'
import { fetchPackages } from '../../../scripts/fetch/fetchPackages.ts'
import { pnpm } from '../../../scripts/fetch/pnpm.ts'
import { isFull } from '../../support/tier.ts'
import { run } from './support/run.ts'

const consumers = join(inject('projects'), '..')
const tarballs = join(consumers, 'tarballs')
const readme = await readFile(join(import.meta.dirname, '../../../README.md'), 'utf8')

const { version } = JSON.parse(
  await readFile(join(import.meta.dirname, '../../../packages/node/package.json'), 'utf8'),
)
const tarball = (name: string) => join(tarballs, `payment-intents-${name}-${version}.tgz`)
const [client, hook] = [tarball('node'), tarball('react')]

/** The files of the packages that others depend on, as the README names them in `/tmp/packages`. */
function dependencyFiles(): Record<string, string> {
  const [, line] = /`("@payment-intents\/contract": "file:[^`]+")`/.exec(readme) ?? []
  if (!line) throw new Error('The README has no file of @payment-intents/contract.')
  const lines = [line, line.replaceAll('contract', 'browser')].join()
  return JSON.parse(`{${lines.replaceAll('/tmp/packages', tarballs).replaceAll('0.0.0', version)}}`)
}

async function project(name: string, files: Record<string, string>): Promise<string> {
  const folder = join(consumers, `with-${name}`)
  await mkdir(folder)
  const use = `
    import { createClient } from '@payment-intents/node'
    import { useServiceModal } from '@payment-intents/react'
    console.log(typeof createClient, typeof useServiceModal)`
  const all = { 'package.json': '{ "name": "shop", "private": true }', 'use.mjs': use, ...files }
  for (const [file, text] of Object.entries(all)) await writeFile(join(folder, file), text)
  return folder
}

const manifest = () =>
  JSON.stringify({ name: 'shop', private: true, resolutions: dependencyFiles() })

test('pnpm installs the tarballs with the overrides of the README', async () => {
  // A YAML file may be JSON.
  const overrides = JSON.stringify({ overrides: dependencyFiles() })
  const folder = await project('pnpm', { 'pnpm-workspace.yaml': overrides })
  await pnpm(['add', '--prefer-offline', client, hook, 'react'], folder)
  const { stdout } = await run(process.execPath, ['use.mjs'], { cwd: folder })
  expect(stdout.trim()).toBe('function function')
})

// Yarn takes the same resolutions, and is stricter.
test.runIf(isFull)('Bun installs the tarballs with the resolutions of the README', async () => {
  const bun = await fetchExecutable('bun', 'bin/bun')
  const folder = await project('bun', { 'package.json': manifest() })
  await run(bun, ['add', client, hook, 'react'], { cwd: folder })
  const { stdout } = await run(bun, ['use.mjs'], { cwd: folder })
  expect(stdout.trim()).toBe('function function')
})

test("Yarn installs the tarballs with the resolutions of the README, and Plug'n'Play finds them", async () => {
  const yarn = join(await fetchPackages('yarn'), 'node_modules/@yarnpkg/cli-dist/bin/yarn.js')
  const folder = await project('yarn', { 'package.json': manifest(), 'yarn.lock': '' })
  const options = { cwd: folder, env: { YARN_ENABLE_TELEMETRY: '0' } }
  const packages = [`@payment-intents/node@file:${client}`, `@payment-intents/react@file:${hook}`]
  await run(process.execPath, [yarn, 'add', ...packages, 'react'], options)
  const { stdout } = await run(process.execPath, [yarn, 'node', 'use.mjs'], options)
  expect(stdout.trim()).toBe('function function')
})
