import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import pg from 'pg'
import { encodeFunctionData, parseAbi } from 'viem'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { listenLocally } from '../../../tests/support/listenLocally.ts'
import { newFolder } from '../../../tests/support/newFolder.ts'
import { patience } from '../../../tests/support/patience.ts'
import { isFull } from '../../../tests/support/tier.ts'
import { until } from '../../../tests/support/until.ts'
import { chainOfFile } from '../test/support/chain/chainServer.ts'
import { startFaultProxy } from '../test/support/chain/faultProxy.ts'
import { payIntent, untilStatus } from '../test/support/chain/payments.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../test/support/database/databaseProxy.ts'
import { merchantApi } from '../test/support/server/merchantApi.ts'
import {
  createKey,
  exitCode,
  refusalOf,
  runServer,
  type ServerProcess,
  separateDatabase,
  startServer,
} from '../test/support/server/serverProcess.ts'
import { createIntent, resolveIntent } from '../test/support/server/testServer.ts'
import { ConfigError, readConfig } from './config.ts'
import { explainListen, StartError } from './lib/startError.ts'
import { openBackgroundPool } from './ops/workers/backgroundPool.ts'

const rpcKey = 'k3yThatNobodyMayRead'

const chain = chainOfFile()

type Env = Record<string, string>

/** Until the test ends. */
async function start(env: Env): Promise<ServerProcess> {
  const server = await startServer({ DEVELOPMENT_CHAIN: 'true', ...env })
  onTestFinished(async () => void (await server.end('SIGTERM')))
  return server
}

/** The messages of refused starts, before anything is served, without a process. */
async function refusalHere(env: Env): Promise<string> {
  const open = async () => openBackgroundPool(readConfig(env), null, () => {})
  const error = await open().then(
    () => expect.fail('It starts.'),
    (refused: unknown) => refused,
  )
  // For other errors, `main` prints the stack.
  if (error instanceof ConfigError || error instanceof StartError) return error.message
  throw error
}

describe('refuses to start, in one sentence,', () => {
  async function refusal(env: Env): Promise<string> {
    const server = runServer({ LOG_LEVEL: 'silent', ...env })
    expect(await exitCode(server)).toBe(1)
    expect(server.output('stdout')).toBe('')
    return refusalOf(server)
  }

  test('on a port in use', async () => {
    const { port, close } = await listenLocally(createServer())
    onTestFinished(close)
    const env = {
      ...(await separateDatabase()),
      RPC_URL_BASE_TESTNET: chain.url,
      PORT: String(port),
    }
    expect(await refusal(env)).toBe(
      `PORT: 127.0.0.1:${port} is taken by another process; stop that process, or set another port, such as ${port + 1} (listen EADDRINUSE: address already in use 127.0.0.1:${port})`,
    )
  })

  test('on an address that is not this machine’s', async () => {
    const at = { host: '192.0.2.1', port: 4242 }
    const [error] = await once(createServer().listen(at), 'error')
    expect(String(explainListen(error, at))).toMatch(
      /: HOST: no network of this machine has the address 192\.0\.2\.1; [^\n]*$/,
    )
  })

  test('with an RPC of another chain', async () => {
    const { host } = new URL(chain.url)
    const url = `${chain.url}?key=${rpcKey}`
    expect(await refusal({ ...(await separateDatabase()), RPC_URL_POLYGON_TESTNET: url })).toBe(
      `RPC_URL_POLYGON_TESTNET: ${host} serves chain 84532, but Polygon Amoy is chain 80002.`,
    )
  })

  test.runIf(isFull)('with an RPC whose token is not USDC', async () => {
    const otherProxy = await startFaultProxy(chain.url, `/?key=${rpcKey}`)
    onTestFinished(otherProxy.shut)
    const abi = parseAbi(['function symbol() view returns (string)'])
    otherProxy.faults = { calls: { [encodeFunctionData({ abi })]: '0x' } }
    const urls = `${chain.url},${otherProxy.url}`
    expect(await refusal({ ...(await separateDatabase()), RPC_URL_BASE_TESTNET: urls })).toBe(
      `RPC_URL_BASE_TESTNET: ${otherProxy.host} has a token that is not USDC at ${chain.token} of Base Sepolia.`,
    )
  })

  test('without a chain, or with invalid variables, naming each', async () => {
    expect(await refusalHere({})).toContain('RPC_URL_BASE_TESTNET')
    const faults = await refusalHere({
      PORT: 'x',
      DATABASE_URL: 'mysql://x',
      SERVER_SECRET: 'short',
    })
    expect(faults).toMatch(/^PORT: .*\nDATABASE_URL: .*\nSERVER_SECRET: .*$/s)
  })

  test('on a database that refuses it, or does not respond, without its password', async () => {
    const { DATABASE_URL, SERVER_SECRET } = await separateDatabase()
    const { host } = new URL(DATABASE_URL)
    const refused = (change: (url: URL) => void) => {
      const url = new URL(DATABASE_URL)
      change(url)
      const env = { DATABASE_URL: url.href, SERVER_SECRET, RPC_URL_BASE_TESTNET: chain.url }
      return refusalHere({ ...env, DATABASE_WAIT_SECONDS: '0' })
    }
    const name = `DATABASE_URL: PostgreSQL at`
    const invalidPassword = await refused((url) => {
      url.password = 'hunter2hunter2'
    })
    expect(invalidPassword).toBe(
      `${name} ${host} refuses the connection (password authentication failed for user "payment_intents"): correct user and password.`,
    )
    const missingName = await refused((url) => {
      url.pathname = '/nowhere'
    })
    expect(missingName).toBe(
      `${name} ${host} refuses the connection (database "nowhere" does not exist): create the database, or correct its name.`,
    )
    const role = `reader_${randomBytes(8).toString('hex')}`
    const admin = new pg.Client({ connectionString: DATABASE_URL })
    await admin.connect()
    await admin.query(`create role ${role} login password 'hunter2'; drop table migrations`)
    await admin.end()
    const withoutRights = await refused((url) => {
      url.username = role
      url.password = 'hunter2'
    })
    expect(withoutRights).toMatch(
      /^The tables of the database could not be made or changed \(permission denied for schema public\): .*$/,
    )
    const closedPort = await refused((url) => {
      url.host = '127.0.0.1:1'
    })
    expect(closedPort).toBe(
      `${name} 127.0.0.1:1 does not respond (connect ECONNREFUSED 127.0.0.1:1): start it, or correct host and port.`,
    )
  })

  test('with a misspelt variable, with development settings on a mainnet, on a database of a newer release', async () => {
    const database = await separateDatabase()
    const env = { ...database, RPC_URL_BASE_TESTNET: chain.url }
    expect(await refusalHere({ ...env, SERVER_SECRETS: 'hunter2' })).toBe(
      'SERVER_SECRETS: is not a variable of this server; did you mean SERVER_SECRET? Correct its name, or unset it',
    )
    const mainnet = { ...database, RPC_URL_BASE_MAINNET: chain.url, WEBHOOK_ALLOW_PRIVATE: 'true' }
    expect(await refusalHere({ ...mainnet, DEVELOPMENT_CHAIN: 'true' })).toMatch(
      /^DEVELOPMENT_CHAIN: .*\nWEBHOOK_ALLOW_PRIVATE: .*\nPUBLIC_URL: .*$/,
    )
    const admin = new pg.Client({ connectionString: database.DATABASE_URL })
    await admin.connect()
    await admin.query(`insert into migrations (name, checksum) values ('9999_later.sql', '')`)
    await admin.end()
    for (const DATABASE_MIGRATE of ['true', 'false']) {
      expect(await refusalHere({ ...env, DATABASE_MIGRATE })).toMatch(
        /^The database has the migration 9999_later\.sql, which this release does not know: [^\n]*$/,
      )
    }
  })

  test('with another SERVER_SECRET than earlier servers, which created the tables in an empty database, and no file', async () => {
    const dataDir = newFolder()
    const env = { ...(await separateDatabase('template1')), RPC_URL_BASE_TESTNET: chain.url }
    const firstServer = await start({ ...env, DATA_DIR: dataDir })
    const intent = await createIntent(firstServer, await createKey(env.DATABASE_URL))
    expect(intent).toMatchObject({ status: 'requires_payment', mode: 'testnet' })
    const secrets = { SERVER_SECRET: 'f3a1c85d09be72461e8ddc0b94a7365f' }
    expect(await refusal({ ...env, ...secrets, DATABASE_WAIT_SECONDS: '0' })).toMatch(
      /^SERVER_SECRET does not belong to this database.*$/,
    )
    expect(await createIntent(firstServer, await createKey(env.DATABASE_URL))).toBeDefined()
    expect(await readdir(dataDir)).toEqual([])
  })

  test('with a database of one’s own and no secret', async () => {
    const env = { DATABASE_URL: inject('clusterUrl'), RPC_URL_BASE_TESTNET: chain.url }
    expect(await refusalHere(env)).toMatch(/^SERVER_SECRET: /)
  })
})

test.each([
  ['away', (proxy: DatabaseProxy) => proxy.cut(), 'ECONNREFUSED'],
  ['recovering', (proxy: DatabaseProxy) => proxy.recover(), 'the database system is starting up'],
])('a database that is %s at start is waited for, which one line says', async (_, take, why) => {
  const lines: string[] = []
  const env = await separateDatabase()
  const proxy = await startDatabaseProxy(env.DATABASE_URL)
  onTestFinished(() => proxy.cut())
  await take(proxy)
  const config = readConfig({
    ...{ ...env, DATABASE_URL: proxy.url, RPC_URL_BASE_TESTNET: chain.url },
    DATABASE_WAIT_SECONDS: String(Math.ceil(patience / 1_000)),
  })
  const opening = openBackgroundPool(config, null, (sentence) => lines.push(sentence))
  const line = await until(() => lines[0] ?? expect.fail('no line yet'))
  const { host } = new URL(proxy.url)
  expect(line).toMatch(/^Waiting up to \d+ s for PostgreSQL at /)
  expect(line).toContain(`s for PostgreSQL at ${host} (`)
  expect(line).toContain(why)
  await proxy.restore()
  const { close } = await opening
  await close()
  expect(lines).toHaveLength(1)
})

describe('a database that accepts no writes at start', () => {
  /** Like a primary that its operator, or a full disk's, has made read-only. */
  async function readOnlyDatabase() {
    const env = await separateDatabase()
    const name = new URL(env.DATABASE_URL).pathname.slice(1)
    const admin = new pg.Client({ connectionString: env.DATABASE_URL })
    await admin.connect()
    onTestFinished(() => admin.end())
    await admin.query(`alter database "${name}" set default_transaction_read_only = on`)
    const restore = () =>
      admin.query(`alter database "${name}" reset default_transaction_read_only`)
    return { ...env, restore }
  }
  const configOf = ({ restore, ...env }: Awaited<ReturnType<typeof readOnlyDatabase>>, s: number) =>
    readConfig({ ...env, RPC_URL_BASE_TESTNET: chain.url, DATABASE_WAIT_SECONDS: String(s) })

  test('is waited for, which one line says', async () => {
    const lines: string[] = []
    const database = await readOnlyDatabase()
    const config = configOf(database, Math.ceil(patience / 1_000))
    const opening = openBackgroundPool(config, null, (sentence) => lines.push(sentence))
    const line = await until(() => lines[0] ?? expect.fail('no line yet'))
    expect(line).toMatch(/^Waiting up to \d+ s for PostgreSQL at .* \(it is read-only/)
    await database.restore()
    await (await opening).close()
    expect(lines).toHaveLength(1)
  })

  test('for longer ends the start with a sentence that says what to do', async () => {
    const opening = openBackgroundPool(configOf(await readOnlyDatabase(), 0), null, () => {})
    await expect(opening).rejects.toThrow(/^DATABASE_URL: PostgreSQL at .* takes no writes/)
  })
})

test('an RPC that is down at start is named by its host, and used when it is back', async () => {
  const rpc = await startFaultProxy(chain.url, `/?key=${rpcKey}`)
  await rpc.shut()
  const env = await separateDatabase()
  const server = await start({ ...env, RPC_URL_BASE_TESTNET: rpc.url })
  expect(server.output()).toContain(`${rpc.host}: eth_chainId: ECONNREFUSED`)
  await rpc.open()
  onTestFinished(rpc.shut)
  const intent = await createIntent(server, await createKey(env.DATABASE_URL))
  await payIntent(chain, intent)
  await chain.mine(4)
  await untilStatus(server, intent, 'succeeded')
  expect(server.output()).not.toContain(rpcKey)
})

test('the clock is the development chain’s, also after a restart', async () => {
  const before = await chain.rpc<string>('evm_snapshot')
  onTestFinished(async () => {
    await chain.rpc('evm_revert', [before])
    await chain.rpc('anvil_setTime', [Math.floor(Date.now() / 1_000)])
  })
  const day = 86_400
  const database = await separateDatabase()
  const env = { ...database, RPC_URL_BASE_TESTNET: chain.url }
  const firstServer = await start(env)
  const apiKey = await createKey(env.DATABASE_URL)
  const api = merchantApi(firstServer, apiKey)
  await api.post('/v1/test_helpers/chain/advance_time', { seconds: day })
  const paid = await createIntent(firstServer, apiKey)
  expect(Date.parse(paid.created_at)).toBeGreaterThan(Date.now() + (day - 300) * 1_000)
  const { server_time } = await resolveIntent(firstServer, paid.client_secret)
  expect(Date.parse(server_time)).toBeGreaterThan(Date.parse(paid.created_at))
  await payIntent(chain, paid)
  await chain.mine(4)
  await untilStatus(firstServer, paid, 'succeeded')
  expect(await resolveIntent(firstServer, paid.client_secret)).toMatchObject({ exceptions: [] })

  const unpaid = await createIntent(firstServer, apiKey)
  await firstServer.end('SIGTERM')
  await chain.increaseTime(day)
  await chain.mine()
  // No request makes it read the clock.
  const secondServer = await start(env)
  const client = new pg.Client({ connectionString: env.DATABASE_URL })
  await client.connect()
  onTestFinished(() => client.end())
  const expired = `select created_at from events where intent_id = $1 and type = 'payment_intent.expired'`
  const created_at = await secondServer.until(async () => {
    const { rows } = await client.query<{ created_at: Date }>(expired, [unpaid.id])
    return rows[0]?.created_at ?? expect.fail('It has not expired.')
  })
  expect(created_at.getTime()).toBeGreaterThan(Date.parse(unpaid.expires_at))
})
