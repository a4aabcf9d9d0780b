import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, inject, test } from 'vitest'
import { isFull } from '../../support/tier.ts'
import { examplesOf } from './support/examples.ts'
import { run, runtimes } from './support/run.ts'

const folder = join(inject('projects'), '../npm')
const { url, apiKey } = inject('service')

// The chain that the test kit brings is large, and pnpm has installed it for the other projects.
const readmes = examplesOf('packages/{browser,cli,node,react}/README.md')
const commands = readmes.flatMap(({ language, code }) => (language === 'sh' ? [code.trim()] : []))

const use = `
  async function use() {
    const client = createClient()
    const { id, client_secret } = await client.createPaymentIntent({ amount_units: toUnits('25.00') })
    const wrong = await client.paymentIntents.retrieve('pi_0').catch((error) => error)
    return [client_secret.startsWith(id), isPaymentIntentsError(wrong), wrong.code, typeof openServiceModal, typeof useServiceModal]
  }
  use().then((facts) => console.log(facts.join(' ')))`
const imports = {
  node: 'createClient, isPaymentIntentsError, toUnits',
  browser: 'openServiceModal',
  react: 'useServiceModal',
}

beforeAll(async () => {
  await mkdir(folder)
  await writeFile(join(folder, '.npmrc'), `@payment-intents:registry=${inject('registry')}\n`)
  await writeFile(join(folder, 'package.json'), '{}')
  const entries = Object.entries(imports)
  const esm = entries.map(([name, names]) => `import { ${names} } from '@payment-intents/${name}'`)
  const cjs = entries.map(
    ([name, names]) => `const { ${names} } = require('@payment-intents/${name}')`,
  )
  await writeFile(join(folder, 'plain.mjs'), esm.join('\n') + use)
  await writeFile(join(folder, 'plain.cjs'), cjs.join('\n') + use)
})

test('the commands of the READMEs install with npm, and plain JavaScript runs', async () => {
  expect(commands).toEqual([
    'npm install @payment-intents/browser',
    'npm install --save-dev @payment-intents/cli',
    'npm install @payment-intents/node',
    'npm install @payment-intents/react',
  ])
  const named = commands.map((command) => command.split(' ').slice(2))
  // As one command in the quick tier: most of npm's time is its start.
  for (const names of isFull ? named : [named.flat()]) {
    const options = ['--prefer-offline', '--no-audit', '--no-fund']
    await run('npm', ['install', ...names, ...options], { cwd: folder })
  }
  const env = { PAYMENT_INTENTS_API_KEY: apiKey, PAYMENT_INTENTS_BASE_URL: url }
  for (const [runtime, find] of runtimes) {
    const node = await find()
    for (const file of ['plain.mjs', 'plain.cjs']) {
      const { stdout } = await run(node, ['--no-experimental-require-module', file], {
        cwd: folder,
        env,
      })
      expect(stdout.trim(), `${file}, ${runtime}`).toBe('true true not_found function function')
    }
  }
  const listed = await run('npx', ['--no', 'payment-intents', 'export', '--from', '2020-01-01'], {
    cwd: folder,
    env,
  })
  expect(listed.stdout).toMatch(/^"?id"?,/)
})

test('bundlers leave imports of computed addresses alone', async () => {
  const folders = join(folder, 'node_modules/@payment-intents/{browser,react}/dist')
  const imports = globSync(`${folders}/*.{js,cjs}`).flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/import\((?!['"])([^`]*)/g)].map(
      ([, before]) => before,
    ),
  )
  expect(imports.length).toBeGreaterThan(0)
  // Without the comment, Turbopack ends the build of a shop with an error.
  for (const before of imports) expect(before).toContain('webpackIgnore: true')
})

test('the client alone brings no command line', async () => {
  expect(existsSync(join(inject('projects'), 'backend/node_modules/.bin/payment-intents'))).toBe(
    false,
  )
})
