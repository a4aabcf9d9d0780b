import { spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../../packages/testing/src/devChain/freePort.ts'
import { copyCluster } from '../../../../tests/support/copyCluster.ts'
import { listenLocally } from '../../../../tests/support/listenLocally.ts'
import { newFolder } from '../../../../tests/support/newFolder.ts'
import { isFull } from '../../../../tests/support/tier.ts'
import { until } from '../../../../tests/support/until.ts'
import { chainOfFile } from '../support/chain/chainServer.ts'
import { startFaultProxy } from '../support/chain/faultProxy.ts'
import { payIntent, untilStatus } from '../support/chain/payments.ts'
import { embeddedPostgres } from '../support/database/embeddedPostgres.ts'
import { ofFile } from '../support/database/fixtures.ts'
import { type MerchantApi, merchantApi } from '../support/server/merchantApi.ts'
import {
  createKey,
  runServer,
  type ServerProcess,
  separateDatabase,
  startServer,
} from '../support/server/serverProcess.ts'
import { createIntent, type Json, resolveIntent } from '../support/server/testServer.ts'

const chain = chainOfFile()

/** Three workers, for tests that kill some of them, and at last their parent. */
const server = ofFile(startThree, (three) => three.end('SIGKILL'))

async function startThree() {
  const { DATABASE_URL, SERVER_SECRET } = await separateDatabase()
  const env = { DATABASE_URL, SERVER_SECRET, RPC_URL_BASE_TESTNET: chain.url, WORKERS: '3' }
  return { ...(await startServer(env)), apiKey: await createKey(DATABASE_URL) }
}

const logged = (server: ServerProcess) =>
  server
    .output('stdout')
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line): Json => JSON.parse(line))

/** The newest process of each worker that listens, by the worker's number. */
const workersOf = (server: ServerProcess): Map<number, number> =>
  new Map(
    logged(server)
      .filter(({ msg }) => msg.startsWith('Server listening'))
      .map(({ worker, pid }) => [worker, pid]),
  )

const allListen = (server: ServerProcess, count = 3, but?: number) =>
  server.until(() => {
    const workers = workersOf(server)
    expect([...workers.keys()].sort()).toEqual([1, 2, 3].slice(0, count))
    expect([...workers.values()]).not.toContain(but)
    return workers
  })

/** The numbers of the workers that have responded since the log had this many lines. */
const respondingWorkers = (server: ServerProcess, since: number) =>
  new Set(
    logged(server)
      .slice(since)
      .flatMap(({ msg, worker }) => (msg === 'request completed' ? [worker] : [])),
  )

const untilExit = (pid: number) => until(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'))

/** The sum of the samples that begin with this text. */
async function sample(server: ServerProcess, beginning: string): Promise<number> {
  const text = await (await server.request('/metrics')).text()
  const lines = text.split('\n').filter((line) => line.startsWith(beginning))
  expect(new Set(lines.map((line) => line.replace(/ [^ ]*$/, ''))).size).toBe(lines.length)
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

const created = 'http_request_duration_seconds_count{method="POST",route="/v1/payment_intents"'

test('metrics are summed over all workers, even ended workers, except values from the database', async () => {
  const api = merchantApi(server, server.apiKey)
  const workers = await allListen(server)
  for (let count = 0; count < 8; count += 1) await create(server, api)
  // A response counts once it is sent.
  await server.until(async () => expect(await sample(server, created)).toBe(8))
  expect(await sample(server, 'payment_intents_database_up')).toBe(1)
  expect(await sample(server, 'payment_intents_open{chain="base",mode="testnet"')).toBe(8)
  expect(await sample(server, 'payment_intents_provider_up')).toBe(1)

  process.kill(workers.get(1) ?? 0, 'SIGKILL')
  await allListen(server, 3, workers.get(1))
  expect(await sample(server, created)).toBe(8)
  expect(await sample(server, 'payment_intents_worker_restarts_total')).toBe(1)
})

test('requests with the same key at three processes create one intent', async () => {
  const api = merchantApi(server, server.apiKey)
  await allListen(server)
  const [keys, times] = isFull ? [10, 100] : [4, 12]
  const before = logged(server).length
  const { data: earlier } = await api.read('/v1/payment_intents?limit=100')
  for (let key = 0; key < keys; key += 1) {
    const headers = { 'idempotency-key': `order-${key}`, connection: 'close' }
    const responses = await Promise.all(
      Array.from({ length: times }, async () => {
        const response = await api.post('/v1/payment_intents', { amount_units: 5_000_000 }, headers)
        return { status: response.status, text: await response.text() }
      }),
    )
    const made = responses.filter(({ status }) => status === 200)
    // All others waited for too long, and must be sent again.
    for (const { status } of responses) expect([200, 409]).toContain(status)
    expect(new Set(made.map(({ text }) => text)).size).toBe(1)
  }
  const { data } = await api.read('/v1/payment_intents?limit=100')
  expect(data).toHaveLength(earlier.length + keys)
  expect(respondingWorkers(server, before)).toEqual(new Set([1, 2, 3]))
})

test('nothing acknowledged is lost if a worker is killed under load, and another replaces it', async () => {
  const api = merchantApi(server, server.apiKey)
  const before = await allListen(server)
  const begun = logged(server).length
  const acknowledged: string[] = []
  const over = new AbortController()
  const ended = new Promise<null>((resolve) => {
    over.signal.addEventListener('abort', () => resolve(null))
  })
  const clients = Array.from({ length: 4 }, async () => {
    while (!over.signal.aborted) {
      // The connections of a killed worker break. A connection that was being passed to it never gets a response.
      const response = await Promise.race([create(server, api).catch(() => null), ended])
      if (response) acknowledged.push(response)
    }
  })
  await server.until(() => expect(respondingWorkers(server, begun)).toContain(2))
  const killed = before.get(2) ?? expect.fail('there is no second worker')
  process.kill(killed, 'SIGKILL')
  const count = acknowledged.length
  // The other workers continue meanwhile.
  await server.until(() => expect(acknowledged.length).toBeGreaterThan(count + 8))
  over.abort()
  await Promise.all(clients)
  const after = await allListen(server, 3, killed)
  expect(after.get(1)).toBe(before.get(1))
  for (const id of acknowledged) {
    expect((await api.get(`/v1/payment_intents/${id}`)).status).toBe(200)
  }
  expect(server.output()).toMatch(/"worker":2,"ended":"SIGKILL"/)
  const deleting = logged(server).filter(
    ({ msg }) => msg === 'data past its retention is deleted next',
  )
  expect(new Set(deleting.map(({ worker }) => worker))).toEqual(new Set([1]))
})

test('a killed parent leaves no worker behind', async () => {
  const workers = await allListen(server)
  await server.end('SIGKILL')
  for (const process of workers.values()) await untilExit(process)
})

test('after SIGTERM workers respond to held requests, and the embedded PostgreSQL ends with them', async () => {
  const dataDir = newFolder()
  await copyCluster(dataDir)
  const env = { DATA_DIR: dataDir, RPC_URL_BASE_TESTNET: chain.url, WORKERS: '2' }
  const server = await startServer(env)
  onTestFinished(async () => void (await server.end('SIGTERM')))
  const workers = await allListen(server, 2)
  const { url, pid } = await embeddedPostgres(dataDir)
  const apiKey = await createKey(url)
  const intent = await createIntent(server, apiKey)
  await payIntent(chain, intent)
  await chain.mine(4)
  await untilStatus(server, intent, 'succeeded')

  process.kill(pid, 'SIGKILL')
  await server.prints(/the embedded PostgreSQL had ended, and was started again/)
  // Connections alternate between the workers, and both must reach PostgreSQL again.
  await server.until(async () => {
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => fetch(`${server.url}/readyz`)),
    )
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  })
  const { client_secret } = await server.until(() => createIntent(server, apiKey))
  const { pid: restarted } = await embeddedPostgres(dataDir)
  const resolves = () => server.output().match(/"url":"[^"]*resolve"/g)?.length ?? 0
  const before = resolves()
  const pending = Array.from({ length: 4 }, () =>
    resolveIntent(server, client_secret, { after_version: 1, wait_seconds: 25 }),
  )
  await server.until(() => expect(resolves()).toBe(before + pending.length))
  expect(await server.end('SIGTERM')).toBe(0)
  for (const response of pending) expect(await response).toMatchObject({ version: 1 })
  for (const process of workers.values()) await untilExit(process)
  await untilExit(restarted)
})

test('a first worker that is killed before it listens is replaced, logged and counted', async () => {
  const rpc = await startFaultProxy(chain.url)
  onTestFinished(rpc.shut)
  // The start waits for the RPC.
  rpc.faults = { hang: true }
  const env = { ...(await separateDatabase()), RPC_URL_BASE_TESTNET: rpc.url, WORKERS: '2' }
  const port = String(await freePort())
  const server = runServer({ ...env, PORT: port })
  onTestFinished(async () => void (await server.end('SIGTERM')))
  const [first] = await server.until(() => {
    const children = childrenOf(server.pid)
    expect(children).toHaveLength(1)
    return children as [number]
  })
  process.kill(first, 'SIGKILL')
  await server.prints(/"worker":1,"ended":"SIGKILL","msg":"a worker has ended/)
  rpc.faults = {}
  const request: ServerProcess['request'] = (path) => fetch(`http://127.0.0.1:${port}${path}`)
  const url = `http://127.0.0.1:${port}`
  const running = { ...server, url, request }
  await server.until(async () => expect((await request('/readyz')).status).toBe(200))
  expect(await sample(running, 'payment_intents_worker_restarts_total')).toBe(1)
  await allListen(running, 2, first)
})

test('a refusal at the start is printed once, and ends the parent', async () => {
  const { port, close } = await listenLocally(createServer())
  onTestFinished(close)
  const env = { ...(await separateDatabase()), RPC_URL_BASE_TESTNET: chain.url, PORT: String(port) }
  const server = runServer({ ...env, WORKERS: '2', LOG_LEVEL: 'silent' })
  expect(await server.ended).toBe(1)
  expect(server.output()).toMatch(/^PORT: 127\.0\.0\.1:\d+ is taken by another process; [^\n]*\n$/)
})

function childrenOf(parent: number): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  return stdout.split('\n').flatMap((line) => {
    const [pid, ppid] = line.trim().split(/\s+/).map(Number)
    return ppid === parent && pid ? [pid] : []
  })
}

async function create(server: ServerProcess, api: MerchantApi): Promise<string> {
  // Use a new connection, like a new client.
  const headers = { connection: 'close' }
  const response = await api.post('/v1/payment_intents', { amount_units: 5_000_000 }, headers)
  expect(response.status, server.output('stderr')).toBe(200)
  return (await response.json()).id
}
