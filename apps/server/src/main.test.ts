import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { connect as connectTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type DevChain, startDevChain } from '@payment-intents/testing'
import pg from 'pg'
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  onTestFinished,
  test,
  vi,
} from 'vitest'
import { freePort } from '../../../packages/testing/src/freePort.ts'
import { type Json, shopWallet } from './test/testServer.ts'

const run = promisify(execFile)
const main = fileURLToPath(new URL('./main.ts', import.meta.url))
const cli = fileURLToPath(new URL('./cli.ts', import.meta.url))

let chain: DevChain
let dataDir: string
let port: number
const children = new Set<ChildProcess>()

beforeAll(async () => {
  chain = await startDevChain({ blockTime: 0 })
})
afterAll(() => chain.stop())

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'payment-intents-main-'))
  port = await freePort()
  return async () => {
    for (const child of children) await stop(child, 'SIGTERM')
    await rm(dataDir, { recursive: true })
  }
})

type Env = Record<string, string>

function environment(env: Env = {}): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env
  return {
    ...{ PATH, HOME, DATA_DIR: dataDir, PORT: String(port), HOST: '127.0.0.1' },
    ...{ RPC_URL_BASE_TESTNET: chain.url, POLL_INTERVAL_MS: '100', DEVELOPMENT_CHAIN: 'true' },
    ...env,
  }
}

let output: string

/** Starts the server as an operator does, and waits until it is ready. */
async function start(env: Env = {}): Promise<ChildProcess> {
  const child = spawn(process.execPath, [main], { env: environment(env), stdio: 'pipe' })
  children.add(child)
  output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  await vi.waitFor(
    async () => {
      if (child.exitCode !== null) return
      const { status } = await fetch(`http://127.0.0.1:${port}/readyz`)
      expect(status).toBe(200)
    },
    { timeout: 20_000, interval: 50 },
  )
  if (child.exitCode !== null) throw new Error(`the server ended: ${output}`)
  return child
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  children.delete(child)
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

async function command(args: string[], env: Env = {}): Promise<string> {
  const { stdout } = await run(process.execPath, [cli, ...args], { env: environment(env) })
  return stdout.trim()
}

async function merchantKey(env: Env = {}): Promise<string> {
  const merchant = await command(['merchant', 'create', '--name', 'Demo'], env)
  const wallet = ['--mode', 'testnet', '--chain', 'base', '--address', shopWallet]
  await command(['wallet', 'set', merchant, ...wallet], env)
  return command(['key', 'create', merchant, '--mode', 'testnet'], env)
}

async function post(path: string, body: object, headers: Env = {}): Promise<Json> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return response.json()
}

function create(apiKey: string): Promise<Json> {
  const body = { amount_units: 25_000_000 }
  return post('/v1/payment_intents', body, { authorization: `Bearer ${apiKey}` })
}

function resolve({ client_secret }: Json): Promise<Json> {
  return post('/v1/payment_intents/resolve', { client_secret })
}

async function untilStatus(intent: Json, status: string): Promise<void> {
  await vi.waitFor(async () => expect(await resolve(intent)).toMatchObject({ status }), {
    timeout: 20_000,
    interval: 50,
  })
}

function pay(intent: Json): Promise<void> {
  return payOn(chain, intent)
}

async function payOn(chain: DevChain, intent: Json): Promise<void> {
  const [, payer] = chain.accounts
  await chain.pay({
    from: payer?.address ?? shopWallet,
    to: intent.expected_wallet,
    amount: BigInt(intent.payable_amount_units),
    reference: intent.payment_reference,
  })
}

async function postgresPid(): Promise<number> {
  const file = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')
  return Number(file.split('\n')[0])
}

describe('killed between payment and confirmation', () => {
  test('and started again, the server finishes the payment', async () => {
    const first = await start()
    const intent = await create(await merchantKey())
    await pay(intent)
    await untilStatus(intent, 'pending_confirmations')
    await stop(first, 'SIGKILL')
    await chain.mine(4)
    await start()
    await untilStatus(intent, 'succeeded')
  })

  test('before it saw the payment, it finds it after the start', async () => {
    const first = await start()
    const intent = await create(await merchantKey())
    await stop(first, 'SIGKILL')
    await pay(intent)
    await chain.mine(4)
    await start()
    await untilStatus(intent, 'succeeded')
  })

  test('together with its PostgreSQL, nothing that was acknowledged is lost', async () => {
    const first = await start()
    const intent = await create(await merchantKey())
    const database = await postgresPid()
    await stop(first, 'SIGKILL')
    process.kill(database, 'SIGKILL')
    await start()
    expect(await resolve(intent)).toMatchObject({ id: intent.id, status: 'requires_payment' })
    await pay(intent)
    await chain.mine(4)
    await untilStatus(intent, 'succeeded')
  })
})

test('stopped by SIGTERM, the server ends at once and leaves no process', async () => {
  const child = await start()
  const intent = await create(await merchantKey())
  const database = await postgresPid()
  const held = post('/v1/payment_intents/resolve', {
    client_secret: intent.client_secret,
    after_version: 1,
    wait_seconds: 25,
  })
  await vi.waitFor(() => expect(output).toContain('/v1/payment_intents/resolve'), 15_000)
  const started = performance.now()
  await stop(child, 'SIGTERM')
  expect(child.exitCode).toBe(0)
  expect(await held).toMatchObject({ version: 1 })
  expect(performance.now() - started).toBeLessThan(10_000)
  // Gone as soon as the system has collected it, which some do only every few seconds.
  await vi.waitFor(() => expect(() => process.kill(database, 0)).toThrow('ESRCH'), 20_000)
})

test('stopped while a client has sent half of a request, it ends all the same', async () => {
  const child = await start()
  const half = connectTcp(port, '127.0.0.1')
  onTestFinished(() => void half.destroy())
  half.on('error', () => {})
  const head = 'POST /v1/payment_intents HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n'
  half.write(`${head}content-length: 100\r\n\r\n{"am`)
  await vi.waitFor(() => expect(output).toContain('"url":"/v1/payment_intents"'), 15_000)
  await stop(child, 'SIGTERM')
  expect(child.exitCode).toBe(0)
}, 60_000)

test('secrets lie in files that only their owner reads', async () => {
  await start()
  for (const name of await readdir(dataDir)) {
    if (name === 'postgres') continue
    expect((await stat(join(dataDir, name))).mode & 0o077, name).toBe(0)
  }
})

describe('refuses to start, in one sentence,', () => {
  async function refusal(env: Env): Promise<string> {
    const failed = await run(process.execPath, [main], { env: environment(env) }).catch(
      (error) => error,
    )
    expect(failed.code).toBe(1)
    return failed.stderr.trim()
  }

  test('on a port that is taken', async () => {
    await start()
    const other = await mkdtemp(join(tmpdir(), 'payment-intents-main-'))
    expect(await refusal({ DATA_DIR: other })).toMatch(
      new RegExp(`address already in use.*${port}`),
    )
    await rm(other, { recursive: true })
  })

  test('with an RPC of another chain', async () => {
    const { host } = new URL(chain.url)
    const key = 'k3yThatNobodyMayRead'
    const url = `${chain.url}?key=${key}`
    const refused = await refusal({ RPC_URL_BASE_TESTNET: '', RPC_URL_POLYGON_TESTNET: url })
    expect(refused).toBe(
      `RPC_URL_POLYGON_TESTNET: ${host} answers as chain 84532, but Polygon Amoy is chain 80002.`,
    )
  })

  test('with an RPC whose token is not USDC', async () => {
    const bare = await startDevChain({ blockTime: 0 })
    await bare.rpc('anvil_setCode', [bare.token, '0x'])
    const { host } = new URL(bare.url)
    const urls = `${chain.url},${bare.url}?key=k3yThatNobodyMayRead`
    expect(await refusal({ RPC_URL_BASE_TESTNET: urls })).toBe(
      `RPC_URL_BASE_TESTNET: ${host} has a token that is not USDC at ${bare.token} of Base Sepolia.`,
    )
    await bare.stop()
  })

  test('without a chain, or with faulty variables, naming each', async () => {
    expect(await refusal({ RPC_URL_BASE_TESTNET: '' })).toContain('RPC_URL_BASE_TESTNET')
    const faults = await refusal({ PORT: 'x', DATABASE_URL: 'mysql://x', SERVER_SECRET: 'short' })
    expect(faults).toMatch(/^PORT: .*\nDATABASE_URL: .*\nSERVER_SECRET: .*$/s)
  })

  test('with a database of one’s own and no secret', async () => {
    expect(await refusal({ DATABASE_URL: inject('clusterUrl') })).toMatch(/^SERVER_SECRET: /)
  })
})

test('an RPC that is down at start is told by its host, and used when it is back', async () => {
  const port = await freePort()
  await start({ RPC_URL_BASE_TESTNET: `http://127.0.0.1:${port}?key=k3yThatNobodyMayRead` })
  expect(output).toContain(`127.0.0.1:${port}: eth_chainId: ECONNREFUSED`)
  const late = await startDevChain({ blockTime: 0, port })
  const intent = await create(await merchantKey())
  await payOn(late, intent)
  await late.mine(4)
  await untilStatus(intent, 'succeeded')
  expect(output).not.toContain('k3yThatNobodyMayRead')
  await late.stop()
})

test('the clock is the development chain’s, also after a restart', async () => {
  const day = 86_400
  const ahead = await startDevChain({ blockTime: 0 })
  const env = { ...(await ownDatabase()), RPC_URL_BASE_TESTNET: ahead.url }
  const first = await start(env)
  const apiKey = await merchantKey(env)
  const authorization = `Bearer ${apiKey}`
  await post('/v1/test_helpers/chain/advance_time', { seconds: day }, { authorization })
  const paid = await create(apiKey)
  expect(Date.parse(paid.created_at)).toBeGreaterThan(Date.now() + (day - 300) * 1_000)
  expect(Date.parse((await resolve(paid)).server_time)).toBeGreaterThan(Date.parse(paid.created_at))
  await payOn(ahead, paid)
  await ahead.mine(4)
  await untilStatus(paid, 'succeeded')
  expect(await resolve(paid)).toMatchObject({ exceptions: [] })

  const unpaid = await create(apiKey)
  await stop(first, 'SIGTERM')
  await ahead.increaseTime(day)
  await ahead.mine()
  // Nobody asks it for anything that would have it look at the clock.
  await start(env)
  const database = new pg.Client({ connectionString: env.DATABASE_URL })
  await database.connect()
  const expired = async () => {
    const { rows } = await database.query(
      `select created_at from events where intent_id = $1 and type = 'payment_intent.expired'`,
      [unpaid.id],
    )
    return rows[0]?.created_at as Date
  }
  const told = await vi.waitFor(async () => (await expired()) ?? expect.fail('not yet'), 20_000)
  expect(told.getTime()).toBeGreaterThan(Date.parse(unpaid.expires_at))
  await database.end()
  await ahead.stop()
}, 60_000)

async function ownDatabase() {
  const name = `own_${randomBytes(8).toString('hex')}`
  const admin = new pg.Client({ connectionString: inject('clusterUrl') })
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  return {
    DATABASE_URL: inject('clusterUrl').replace(/\/postgres$/, `/${name}`),
    SERVER_SECRET: 'x'.repeat(32),
  }
}

test('runs on a database of one’s own', async () => {
  const env = await ownDatabase()
  const child = await start(env)
  expect(await command(['merchant', 'create', '--name', 'Own'], env)).toMatch(/^mer_/)
  expect(await readdir(dataDir)).toEqual([])
  await stop(child, 'SIGTERM')
})

describe('no secret is printed', () => {
  const rpcKey = 'k3yThatNobodyMayRead'

  test('by a server that starts, serves and stops, with all its levels on', async () => {
    const env = { ...(await ownDatabase()), LOG_LEVEL: 'debug' }
    const child = await start({ ...env, RPC_URL_BASE_TESTNET: `${chain.url}?key=${rpcKey}` })
    const apiKey = await merchantKey(env)
    const intent = await create(apiKey)
    await pay(intent)
    await chain.mine(4)
    await untilStatus(intent, 'succeeded')
    await stop(child, 'SIGTERM')
    const { password } = new URL(env.DATABASE_URL)
    expect(output).toContain('listening')
    for (const secret of [rpcKey, env.SERVER_SECRET, password, apiKey, intent.client_secret]) {
      expect(secret).toMatch(/.{8}/)
      expect(output).not.toContain(secret)
    }
  })

  test.each([
    ['variables are faulty', { DATABASE_URL: 'mysql://u:k3yThatNobodyMayRead@h/d' }],
    ['an RPC has no protocol', { RPC_URL_BASE_TESTNET: 'rpc.example/k3yThatNobodyMayRead' }],
    [
      'the database is down',
      {
        DATABASE_URL: 'postgres://u:k3yThatNobodyMayRead@127.0.0.1:1/d',
        SERVER_SECRET: 'k3yThatNobodyMayRead'.repeat(2),
      },
    ],
  ])('by one that does not start because %s', async (_why, env) => {
    const failed = await run(process.execPath, [main], { env: environment(env) }).catch(
      (error) => error,
    )
    expect(failed.code).toBe(1)
    expect(failed.stderr).toMatch(/\w/)
    expect(failed.stdout + failed.stderr).not.toContain(rpcKey)
  })
})

describe('the command line', () => {
  test('creates, lists and revokes keys, and shows a key only once', async () => {
    const env = await ownDatabase()
    const merchant = await command(['merchant', 'create', '--name', 'A shop'], env)
    const key = await command(['key', 'create', merchant, '--mode', 'mainnet'], env)
    expect(key).toMatch(/^sk_live_[0-9A-Za-z]{49}$/)
    const listed = await command(['key', 'list', merchant], env)
    expect(listed).toContain('live')
    expect(listed).not.toContain(key)
    await command(['key', 'revoke', listed.split('\t')[0] ?? ''], env)
    expect(await command(['key', 'list', merchant], env)).toContain('revoked')
    expect(await command(['merchant', 'list'], env)).toContain('A shop')
  })

  test('works while the server runs, and leaves its database running', async () => {
    await start()
    const database = await postgresPid()
    const key = await merchantKey()
    expect(await postgresPid()).toBe(database)
    expect(await create(key)).toMatchObject({ status: 'requires_payment', mode: 'testnet' })
  })

  test.each([
    [['merchant', 'create'], '--name is missing.'],
    [['key', 'create', 'mer_none', '--mode', 'testnet'], 'No merchant mer_none.'],
    [['key', 'create', 'mer_none', '--mode', 'test'], '--mode must be one of testnet, mainnet.'],
    [['key', 'revoke', 'key_none'], 'No live API key key_none.'],
    [['nonsense'], 'merchant create --name NAME'],
    [['merchant', 'create', '--nmae', 'x'], "Unknown option '--nmae'"],
    [
      ['wallet', 'set', 'mer_none', '--mode', 'testnet', '--chain', 'base', '--address', '0x1'],
      '--address must be 0x and 40',
    ],
  ])('%j is told %s', async (args, told) => {
    const failed = await run(process.execPath, [cli, ...args], {
      env: environment(await ownDatabase()),
    }).catch((error) => error)
    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain(told)
    expect(failed.stderr).not.toMatch(/^\s+at /m)
  })
})
