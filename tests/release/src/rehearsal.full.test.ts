import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DevChain, startDevChain } from '@payment-intents/testing'
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest'
import { fetchExecutable } from '../../../scripts/fetch/fetchExecutable.ts'
import { createDatabase } from '../../consumers/src/support/createDatabase.ts'
import { readDockerfile } from '../../consumers/src/support/readDockerfile.ts'
import type { TestProcess } from '../../support/startProcess.ts'
import { until } from '../../support/until.ts'
import { endAll, interrupt, type Options, pathWith, run, start } from './support/commands.ts'
import { commit, copyRepository, git } from './support/copyRepository.ts'
import { commandsOf } from './support/readme.ts'
import { readReleaseJob } from './support/releaseJob.ts'
import { type Registry, startRegistry } from './support/startRegistry.ts'

const packages = ['browser', 'cli', 'contract', 'node', 'react', 'server', 'testing']
const tagsOf = (version: string) => packages.map((name) => `@payment-intents/${name}@${version}`)
/** Stands in for GitHub, which has a release for each tag. */
const gh = `#!/bin/sh
test "$1 $2" = "release upload" && git rev-parse --verify --quiet "refs/tags/$3" && test -s "$4"
`
const createIntent = `
  import { createClient, toUnits } from '@payment-intents/node'
  const [order_id] = process.argv.slice(2)
  const amount_units = toUnits('25.00')
  const intent = await createClient().createPaymentIntent({ amount_units, chain: 'base', metadata: { order_id } })
  console.log(JSON.stringify(intent))`

let folder: string
let registry: Registry
let chain: DevChain
let job: Awaited<ReturnType<typeof readReleaseJob>>
/** The copy of the repository, as the workflow has it. */
let runner: Options
/** A merchant's folders, with an empty home and the oldest Node.js that the packages run on. */
let shop: Options
let host: Options
let server: { process: TestProcess; url: string }
let orders: { id: string }[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'payment-intents-release-'))
  const path = (name: string) => join(folder, name)
  for (const name of ['bin', 'copy', 'home', 'image/packages', 'registry', 'server', 'shop'])
    await mkdir(path(name), { recursive: true })
  registry = await startRegistry(path('registry'))
  chain = await startDevChain({ blockTime: 0 })
  await writeFile(path('bin/gh'), gh, { mode: 0o755 })
  await writeFile(path('npmrc'), `registry=${registry.url}\n`)
  runner = {
    cwd: path('copy'),
    env: {
      ...{ PATH: `${path('bin')}:${pathWith(process.execPath)}`, HOME: `${process.env.HOME}` },
      ...{ GITHUB_SERVER_URL: 'https://git.example.com', GITHUB_REPOSITORY: 'we/payment-intents' },
      ...{ NPM_CONFIG_USERCONFIG: path('npmrc'), ...git },
    },
  }
  await copyRepository(runner)
  job = await readReleaseJob(runner, { GITHUB_TOKEN: 'of GitHub', NPM_TOKEN: registry.token })
  const PATH = pathWith(await fetchExecutable('node-20', 'bin/node'))
  const env = { PATH, HOME: path('home'), npm_config_registry: registry.url }
  const testnet = { RPC_URL_BASE_TESTNET: chain.url, DEVELOPMENT_CHAIN: 'true', PORT: '0' }
  shop = { cwd: path('shop'), env }
  host = { cwd: path('server'), env: { ...env, ...testnet } }
})

afterAll(async () => {
  await endAll()
  await chain?.stop()
  await registry?.close()
  if (folder) await rm(folder, { recursive: true })
})

test('the release workflow publishes 0.1.0, with provenance and a bill of materials', async () => {
  await job.version()
  await job.prepare()
  // Only GitHub can attest where the packages come from.
  await expect(job.publish()).rejects.toThrow(/PROVENANCE_UNSUPPORTED_PROVIDER/)
  expect(await job.publish({ pnpm_config_provenance: 'false' })).toEqual(tagsOf('0.1.0'))
  await job.finish()
  const bom = await readFile(join(runner.cwd, 'payment-intents-server-0.1.0.cdx.json'), 'utf8')
  expect(JSON.parse(bom).metadata.component.version).toBe('0.1.0')
})

test.each(packages)('%s is published with all that its manifest promises', async (name) => {
  const response = await fetch(`${registry.url}@payment-intents/${name}`)
  const { versions, readme } = (await response.json()) as Packument
  expect(Object.keys(versions)).toEqual(['0.1.0'])
  const manifest = versions['0.1.0']
  expect(manifest.repository?.url).toBe('git+https://git.example.com/we/payment-intents.git')
  // Ranges that only this workspace understands.
  expect(JSON.stringify(manifest)).not.toMatch(/"(workspace|catalog|file|link):/)
  for (const [dependency, range] of Object.entries(manifest.dependencies ?? {}))
    if (dependency.startsWith('@payment-intents/')) expect(range).toBe('0.1.0')
  expect(`${readme}`).not.toMatch(/not published|not on npm/i)
  // GitHub's release takes its text from there.
  const source = name === 'server' ? 'apps/server' : `packages/${name}`
  expect(await readFile(join(runner.cwd, source, 'CHANGELOG.md'), 'utf8')).toMatch(/^## 0\.1\.0$/m)
})

test('the README installs the packages into an empty folder, and every file they promise is there', async () => {
  const commands = await commandsOf('Install the packages')
  expect(commands.at(-1)).toMatch(/^npx payment-intents /)
  for (const command of commands) await run(command, shop)
  expect(await run('npx payment-intents --version', shop)).toBe('0.1.0')
  const check = `'${process.execPath}' '${join(runner.cwd, 'scripts/checkBuilt.ts')}'`
  for (const name of packages.filter((name) => name !== 'server'))
    await run(check, { ...shop, cwd: join(shop.cwd, 'node_modules/@payment-intents', name) })
})

test('the README starts the server in an empty folder, where a shop is paid', async () => {
  const [serve = '', ...commands] = await commandsOf('Run the server')
  await startServer(serve)
  expect(await megabytes(join(`${host.env.HOME}`, '.npm/_npx'))).toBeLessThan(110)
  expect((await fetch(`${server.url}/docs/`)).status).toBe(200)

  let printed = ''
  let merchant = ''
  expect(commands).toHaveLength(3)
  for (const command of commands) {
    const wallet = `${chain.accounts[9]?.address}`
    const line = command.replace('mer_…', merchant).replace('0x…', wallet)
    printed = await run(line.replace('mainnet', 'testnet'), host)
    merchant ||= printed
  }
  Object.assign(shop.env, {
    PAYMENT_INTENTS_API_KEY: printed,
    PAYMENT_INTENTS_BASE_URL: server.url,
  })

  await writeFile(join(shop.cwd, 'create.mjs'), createIntent)
  const created = [await run('node create.mjs 1042', shop), await run('node create.mjs 1043', shop)]
  orders = created.map((intent) => JSON.parse(intent))
  await pay(0)
  expect(await run('npx payment-intents find 1042', shop)).toContain(orders[0]?.id)
})

test('the steps of the Dockerfile install the release, which reports its health', async () => {
  const after = await readDockerfile()
  const pairs = `${after('ARG')} ${after('ENV')}`.split(' ')
  const variables = Object.fromEntries(pairs.map((pair) => pair.split('=')))
  const image = { cwd: join(folder, 'image'), env: { ...shop.env, ...variables } }
  expect(after('COPY')).toBe('packages/ packages/')
  await run(after('RUN'), image)

  const environment = {
    DATABASE_URL: await createDatabase(),
    SERVER_SECRET: randomBytes(32).toString('hex'),
  }
  const env = { ...image.env, ...host.env, ...environment, HOST: '127.0.0.1' }
  const entrypoint = `exec ${quote(JSON.parse(after('ENTRYPOINT')))}`
  expect(await run(`${entrypoint} --version`, { ...image, env })).toBe('0.1.0')
  const started = start(entrypoint, { ...image, env })
  onTestFailed(() => console.error(started.output()))
  const [, url = ''] = await started.prints(/listening at (http:[^"]+)/)
  const probe = quote(JSON.parse(after('HEALTHCHECK').replace(/.* CMD (?=\[)/, '')))
  await run(probe, { ...image, env: { ...env, PORT: new URL(url).port } })
  expect(await started.end('SIGTERM')).toBe(0)
})

test('the next version is published, and the server goes on with the keys and payments of 0.1.0', async () => {
  await interrupt(server.process)
  const all = packages.map((name) => `"@payment-intents/${name}": minor`)
  const changeset = ['---', ...all, '---', '', 'The next release.', ''].join('\n')
  await writeFile(join(runner.cwd, '.changeset/next.md'), changeset)
  await commit('Change everything', runner)
  await job.version()
  await job.prepare()
  expect(await job.publish({ pnpm_config_provenance: 'false' })).toEqual(tagsOf('0.2.0'))
  await job.finish()

  const [serve = ''] = await commandsOf('Run the server')
  await startServer(serve)
  expect(await run(`${serve} --version`, host)).toBe('0.2.0')
  Object.assign(shop.env, { PAYMENT_INTENTS_BASE_URL: server.url })
  expect(await retrieve(0)).toMatchObject({ status: 'succeeded', metadata: { order_id: '1042' } })
  await pay(1)
  await run('npm install @payment-intents/node@latest @payment-intents/cli@latest', shop)
  expect(await run('npx payment-intents --version', shop)).toBe('0.2.0')
  expect(await run('npx payment-intents find 1042', shop)).toContain(orders[0]?.id)
  await interrupt(server.process)
})

type Manifest = { dependencies?: Record<string, string>; repository?: { url: string } }
type Packument = { versions: Record<'0.1.0', Manifest>; readme?: string }

async function startServer(line: string) {
  const started = start(line, host)
  onTestFailed(() => console.error(started.output()))
  const [, url = ''] = await started.prints(/listening at (http:[^"]+)/)
  server = { process: started, url }
}

async function retrieve(order: number): Promise<Record<string, string>> {
  const response = await fetch(`${server.url}/v1/payment_intents/${orders[order]?.id}`, {
    headers: { authorization: `Bearer ${shop.env.PAYMENT_INTENTS_API_KEY}` },
  })
  expect(response.status).toBe(200)
  return (await response.json()) as Record<string, string>
}

/** Pays an order on the chain, and waits until the server has seen that. */
async function pay(order: number) {
  const intent = await retrieve(order)
  await chain.pay({
    from: chain.accounts[0]?.address as `0x${string}`,
    to: intent.expected_wallet as `0x${string}`,
    amount: BigInt(`${intent.amount_units}`),
    reference: intent.payment_reference as `0x${string}`,
  })
  await chain.mine(Number(intent.confirmations_required))
  await until(async () => expect(await retrieve(order)).toMatchObject({ status: 'succeeded' }))
}

async function megabytes(path: string): Promise<number> {
  return Number.parseInt(await run(`du -sk '${path}'`, shop), 10) / 1024
}

function quote(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
}
