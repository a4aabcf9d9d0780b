import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from '../packages/testing/src/devChain/freePort.ts'
import { listenLocally } from '../tests/support/listenLocally.ts'
import { newFolder } from '../tests/support/newFolder.ts'
import { startProcess, type TestProcess } from '../tests/support/startProcess.ts'
import { isFull } from '../tests/support/tier.ts'
import { until } from '../tests/support/until.ts'
import { choosePorts } from './start/ports.ts'

let root: string
let ports: Record<
  'API_PORT' | 'SHOP_PORT' | 'DASHBOARD_PORT' | 'CHAIN_PORT' | 'CHAIN_PORT_POLYGON',
  string
>
const starts: TestProcess[] = []

beforeEach(async () => {
  root = newFolder()
  cpSync(join(import.meta.dirname, 'start'), join(root, 'scripts/start'), { recursive: true })
  cpSync(join(import.meta.dirname, 'start.ts'), join(root, 'scripts/start.ts'))
  mkdirSync(join(root, 'alive'))
  for (const [path, text] of Object.entries(standIns)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const port = async () => String(await freePort())
  ports = {
    ...{ API_PORT: await port(), SHOP_PORT: await port(), DASHBOARD_PORT: await port() },
    ...{ CHAIN_PORT: await port(), CHAIN_PORT_POLYGON: await port() },
  }
})

afterEach(async () => {
  for (const started of starts.splice(0)) await started.end('SIGKILL')
  for (const name of alive()) endNow(pidOf(name))
  await until(() => expect(alive()).toEqual([]))
})

/** Also where its own start has just ended it. */
function endNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/**
 * Programs that start, respond and stop like the real programs, and record it: one file per live process, one line
 * per thing that happened.
 */
const common = `
import { appendFileSync, writeFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import http from 'node:http'
import { fileURLToPath } from 'node:url'
const root = process.env.STAND_IN_ROOT
export const record = (line) => appendFileSync(root + '/happened', line + '\\n')
export const live = (name, pid = process.pid) => writeFileSync(root + '/alive/' + name, String(pid))
export const idle = () => spawn('sleep', ['100000'])
export const serve = (port, respond) => http.createServer(respond).listen(Number(port), 'localhost')
export const onStop = (name, work) => process.once('SIGTERM', () => { record(name + ' stops'); work() })
`
const standIns: Record<string, string> = {
  'package.json': '{ "type": "module" }',
  'common.js': common,
  'node_modules/turbo/bin/turbo': `console.log('@x/contract:bundle: done'); process.exit(Number(process.env.BUILD_CODE ?? 0))`,
  'node_modules/@payment-intents/testing/package.json':
    '{ "type": "module", "exports": "./index.js" }',
  'node_modules/@payment-intents/testing/index.js': `
    import { basename } from 'node:path'
    import { idle, live, serve, record } from '../../../common.js'
    export async function startDevChain({ port, chain = 'base', statePath }) {
      live('chains')
      record(chain + ' is kept in ' + basename(statePath))
      const anvil = idle()
      live('anvil of ' + chain, anvil.pid)
      const server = serve(port, (_, response) => response.end('{}'))
      return {
        url: '', chainId: chain === 'base' ? 84532 : 80002,
        async rpc() { if (anvil.exitCode !== null || anvil.signalCode) throw new Error('anvil is gone') },
        async stop() { record(chain + ' stops'); anvil.kill(); server.close(); server.closeAllConnections() },
      }
    }`,
  'apps/server/src/main.ts': `
    import { idle, live, onStop, serve, record } from '../../../common.js'
    live('server')
    const database = idle()
    live('database', database.pid)
    console.log('the last words of the server')
    const server = serve(process.env.PORT, (request, response) => {
      if (request.url.startsWith('/v1/webhook_endpoints')) {
        if (request.method === 'POST') record('webhook secret made')
        return response.end(JSON.stringify({ data: [], secret: 'whsec_1' }))
      }
      const known = request.headers.authorization === 'Bearer sk_test_1'
      response.writeHead(request.url === '/readyz' ? 200 : known ? 400 : 401).end()
    })
    onStop('server', () => { database.kill(); server.close(); server.closeAllConnections() })`,
  'apps/server/src/cli.ts': `
    import { record } from '../../../common.js'
    const [noun] = process.argv.slice(2)
    if (noun === 'key') record('key made')
    const chain = process.argv.indexOf('--chain')
    if (noun === 'wallet') record('wallet set on ' + process.argv[chain + 1])
    console.log(noun === 'merchant' ? 'mer_1' : noun === 'key' ? 'sk_test_1' : '0x')`,
  'packages/cli/dist/cli.js': `console.log('whsec_of_' + process.env.PAYMENT_INTENTS_API_KEY)`,
  'apps/shop/src/main.ts': `
    import { live, onStop, record, serve } from '../../../common.js'
    live('shop')
    record('shop has ' + process.env.PAYMENT_INTENTS_WEBHOOK_SECRET)
    const server = serve(process.env.PORT, (_, response) => response.end())
    onStop('shop', () => { server.close(); server.closeAllConnections() })`,
}

function start(env: Record<string, string> = {}): TestProcess {
  const started = startProcess(join(root, 'scripts/start.ts'), {
    env: { STAND_IN_ROOT: root, ...ports, ...env },
    detached: true,
  })
  starts.push(started)
  return started
}

async function startAll(): Promise<TestProcess> {
  const started = start()
  await started.prints(/Ctrl-C stops everything/)
  return started
}

/** A terminal interrupts the whole process group. */
function pressCtrlC(started: TestProcess): void {
  process.kill(-started.pid, 'SIGINT')
}

/** Names of the programs that still run, of all that were ever started. */
function alive(): string[] {
  return readdirSync(join(root, 'alive')).filter((name) => isAlive(pidOf(name)))
}

function pidOf(name: string): number {
  return Number(readFileSync(join(root, 'alive', name), 'utf8'))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const stat = `/proc/${pid}/stat`
  // Its adoptive parent may not have reaped it yet.
  return !existsSync(stat) || !/\) Z /.test(readFileSync(stat, 'utf8'))
}

function happened(): string[] {
  const path = join(root, 'happened')
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
}

test('says in a sentence that a port is taken, before anything starts', async () => {
  for (const variable of [
    ...(['API_PORT', 'SHOP_PORT', 'DASHBOARD_PORT', 'CHAIN_PORT'] as const),
    'CHAIN_PORT_POLYGON' as const,
  ]) {
    const { close } = await listenLocally(createServer(), Number(ports[variable]))
    await expect(choosePorts(ports), variable).rejects.toThrow(says(variable))
    await close()
  }
  const { close } = await listenLocally(createServer(), Number(ports.SHOP_PORT))
  const started = start()
  expect(await started.ended).toBe(1)
  expect(started.output()).toMatch(says('SHOP_PORT'))
  expect(readdirSync(join(root, 'alive'))).toEqual([])
  await close()
})

function says(variable: keyof typeof ports): RegExp {
  return new RegExp(`port ${ports[variable]}, which is taken.*${variable}=`)
}

test('says in a sentence what to do on Windows, before anything starts', async () => {
  const onWindows = "Object.defineProperty(process, 'platform', { value: 'win32' })"
  const preload = `data:text/javascript,${encodeURIComponent(onWindows)}`
  const started = start({ NODE_OPTIONS: `--import=${preload}` })
  expect(await started.ended).toBe(1)
  expect(started.output()).toMatch(/^\nThis command .* none for Windows: .*WSL 2.*\n$/)
  expect(readdirSync(root)).not.toContain('.data')
})

test('prints all addresses, stops each program once at Ctrl-C, and keeps its key', async () => {
  const first = await startAll()
  const { API_PORT, SHOP_PORT, DASHBOARD_PORT, CHAIN_PORT, CHAIN_PORT_POLYGON } = ports
  expect(first.output()).toContain('sk_test_1')
  // For scripts, and for its owner alone.
  const envPath = join(root, '.data/demo.env')
  expect(readFileSync(envPath, 'utf8')).toBe(
    [
      'PAYMENT_INTENTS_API_KEY=sk_test_1',
      'PAYMENT_INTENTS_WEBHOOK_SECRET=whsec_of_sk_test_1',
      `PAYMENT_INTENTS_BASE_URL=http://localhost:${API_PORT}`,
      `SHOP_URL=http://localhost:${SHOP_PORT}`,
      `DASHBOARD_URL=http://localhost:${DASHBOARD_PORT}`,
      'MERCHANT_ID=mer_1',
      'SHOP_CHAINS=base,polygon',
      `RPC_URL=http://localhost:${CHAIN_PORT}`,
      `RPC_URL_POLYGON=http://localhost:${CHAIN_PORT_POLYGON}`,
      '',
    ].join('\n'),
  )
  expect(statSync(envPath).mode & 0o777).toBe(0o600)

  // The program started last stops first, also where Ctrl-C is pressed twice.
  pressCtrlC(first)
  pressCtrlC(first)
  expect(await first.ended).toBe(0)
  const lines = happened()
  expect(lines.slice(0, 5).sort()).toEqual([
    'base is kept in chain.json',
    'key made',
    'polygon is kept in chain-polygon.json',
    'wallet set on base',
    'wallet set on polygon',
  ])
  expect(lines.slice(5, -2)).toEqual([
    'webhook secret made',
    'shop has whsec_1',
    'shop stops',
    'server stops',
  ])
  expect(lines.slice(-2).sort()).toEqual(['base stops', 'polygon stops'])
  expect(alive()).toEqual([])

  const second = await startAll()
  expect(happened().filter((line) => line === 'key made')).toHaveLength(1)
  // Nothing outlives it when it is killed itself.
  await second.end('SIGKILL')
  await until(() => expect(alive()).toEqual([]))
})

const breakdowns = [
  ['server', 'server', 'the last words of the server'],
  ['chains', 'anvil of polygon', 'anvil is gone'],
  ['shop', 'shop', ''],
  ['chains', 'anvil of base', 'anvil is gone'],
] as const

test.each(isFull ? breakdowns : breakdowns.slice(0, 2))(
  'when the %s breaks down, says so with its last lines and stops the rest',
  async (name, victim, words) => {
    const started = await startAll()
    process.kill(pidOf(victim), 'SIGKILL')
    expect(await started.ended).toBe(1)
    expect(started.output()).toMatch(
      new RegExp(`The ${name} stopped with .*${name}\\.log:\n[^]*${words}`),
    )
    expect(alive()).toEqual([])
  },
)

test('a build that fails is reported with its last lines, and nothing is started', async () => {
  const started = start({ BUILD_CODE: '2' })
  expect(await started.ended).toBe(1)
  expect(started.output()).toMatch(/The build stopped with exit code 2.*\n.*contract:bundle/)
  expect(alive()).toEqual([])
})
