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

/** A block of the README, which speaks of tarballs in `/tmp/packages`. */
function block(language: 'json' | 'yaml', start: string): string {
  const blocks = readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))
  const matching = [...blocks].map(([, code = '']) => code).find((code) => code.includes(start))
  if (!matching) throw new Error(`The README has no ${language} with ${start}.`)
  return matching.replaceAll('/tmp/packages', tarballs)
}

const resolutions = () => JSON.parse(block('json', '"resolutions"'))
const client = join(tarballs, 'payment-intents-node-0.0.0.tgz')
const hook = join(tarballs, 'payment-intents-react-0.0.0.tgz')

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

const manifest = () => JSON.stringify({ name: 'shop', private: true, ...resolutions() })

test('pnpm installs the tarballs with the overrides of the README', async () => {
  const folder = await project('pnpm', { 'pnpm-workspace.yaml': block('yaml', 'overrides:') })
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
