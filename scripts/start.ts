import { execFile } from 'node:child_process'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Child, type ChildOptions, crash, startChild, untilReady } from './start/children.ts'
import { refundKey, relayerKey } from './start/demoAccounts.ts'
import { demoMerchant } from './start/demoMerchant.ts'
import { Failure } from './start/failure.ts'
import { choosePorts, type Ports } from './start/ports.ts'
import { say, step } from './start/printProgress.ts'
import { shopWebhook } from './start/shopWebhook.ts'

const root = join(import.meta.dirname, '..')
const dataDir = join(root, '.data')
const envPath = join(dataDir, 'demo.env')
const devChains = fileURLToPath(new URL('start/devChains.ts', import.meta.url))
const testData = fileURLToPath(new URL('start/testData.ts', import.meta.url))

const stopping = new AbortController()
// Invariant: in the order in which they started; they stop in reverse order.
const children: Child[] = []
const crashed = Promise.withResolvers<never>()
const interrupted = new Promise<'interrupted'>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => resolve('interrupted'))
})

try {
  await Promise.race([start(), crashed.promise, interrupted])
} catch (error) {
  console.error(`\n${error instanceof Failure ? error.message : (error as Error).stack}`)
  process.exitCode = 1
} finally {
  await stopAll()
}
process.exit()

async function start(): Promise<void> {
  if (process.platform === 'win32') {
    throw new Failure(
      'This command needs an embedded PostgreSQL, and there is none for Windows: run `wsl --install`, clone the repository inside WSL 2, and start it there.',
    )
  }
  say('\nPayment intents: a shop, its payment service and chains to pay on\n')
  const ports = await choosePorts(process.env)
  const baseUrl = `http://localhost:${ports.api}`
  const rpcUrl = `http://localhost:${ports.chain}`
  const polygonRpcUrl = `http://localhost:${ports.polygonChain}`
  const shopUrl = `http://localhost:${ports.shop}`
  const dashboardUrl = `http://localhost:${ports.dashboard}`
  mkdirSync(dataDir, { recursive: true })

  await step(
    'Building the packages and the shop',
    build,
    () => 'The packages and the shop are built',
  )
  await step(
    'Starting the development chains',
    () => startChains(ports, [rpcUrl, polygonRpcUrl]),
    () => `The development chains listen at ${rpcUrl} and ${polygonRpcUrl}`,
  )
  const serverEnv = {
    PORT: String(ports.api),
    DASHBOARD_URL: dashboardUrl,
    DASHBOARD_PORT: String(ports.dashboard),
    DATA_DIR: dataDir,
    RPC_URL_BASE_TESTNET: rpcUrl,
    RPC_URL_POLYGON_TESTNET: polygonRpcUrl,
    // Twenty confirmations would only slow the demo down.
    CONFIRMATIONS_POLYGON_TESTNET: '5',
    DEVELOPMENT_CHAIN: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    RELAYER_KEY_BASE_TESTNET: relayerKey,
    RELAYER_KEY_POLYGON_TESTNET: relayerKey,
  }
  await step(
    'Starting the server and its database',
    () => startServer(serverEnv, baseUrl),
    () => `The server listens at ${baseUrl}`,
  )
  const {
    id: merchant,
    apiKey,
    origin,
  } = await step(
    'Looking for the demo merchant',
    () => demoMerchant({ envPath, baseUrl, shopUrl, cli: (args) => runCli(args, serverEnv) }),
    ({ origin }) => `The demo merchant is ${origin === 'created' ? 'set up' : 'where it was'}`,
  )
  const url = `${shopUrl}/webhooks`
  const { secret } = await step(
    'Looking for the webhook endpoint of the shop',
    () => shopWebhook({ baseUrl, apiKey, url }),
    ({ origin }) => `Events ${origin === 'created' ? 'are now' : 'are still'} sent to ${url}`,
  )
  const shopEnv = {
    PAYMENT_INTENTS_API_KEY: apiKey,
    PAYMENT_INTENTS_WEBHOOK_SECRET: secret,
    PAYMENT_INTENTS_BASE_URL: baseUrl,
    SHOP_URL: shopUrl,
    DASHBOARD_URL: dashboardUrl,
    MERCHANT_ID: merchant,
    SHOP_CHAINS: 'base,polygon',
    RPC_URL: rpcUrl,
    RPC_URL_POLYGON: polygonRpcUrl,
  }
  // Others than the shop get their events from `listen`, which has its own secret.
  writeEnv({ ...shopEnv, PAYMENT_INTENTS_WEBHOOK_SECRET: await listenSecret(apiKey) })
  await step(
    'Opening the shop',
    () => startShop({ ...shopEnv, REFUND_KEY: refundKey }, ports, shopUrl),
    () => `The shop is open at ${shopUrl}`,
  )
  const signInUrl = await step(
    'Opening the dashboard',
    () => runCli(['dashboard', merchant], serverEnv),
    () => `The dashboard is open at ${dashboardUrl}`,
  )
  say(welcome({ shopUrl, baseUrl, signInUrl, rpcUrl, polygonRpcUrl, apiKey }))
  if (origin === 'created') makeTestData(shopEnv)
  await crashed.promise
}

function run(options: ChildOptions): Child {
  stopping.signal.throwIfAborted()
  const child = startChild(options, root, join(dataDir, 'logs'))
  children.push(child)
  return child
}

/** A child that has to run as long as this process does. */
function runForever(options: ChildOptions): Child {
  const child = run(options)
  void child.ended.then((end) => {
    if (!stopping.signal.aborted) crashed.reject(crash(child, end))
  })
  return child
}

/** Beside everything else, once: without it, the demo has less to show. */
function makeTestData(env: Record<string, string>): void {
  const child = run({ name: 'test-data', args: [testData], env })
  void child.ended.then((end) => {
    if (end.outcome === 'done' || stopping.signal.aborted) return
    say(`  The dashboard has no test data: see ${child.logPath}.`)
  })
}

async function build(note: (text: string) => void): Promise<void> {
  const child = run({
    name: 'build',
    args: [join(root, 'node_modules/turbo/bin/turbo'), 'run', 'bundle', '--ui=stream'],
    env: { TURBO_TELEMETRY_DISABLED: '1', FORCE_COLOR: '0' },
    onLine(line) {
      const [, name] = /^([\w@/-]+):bundle: /.exec(line) ?? []
      if (name) note(name)
    },
  })
  const end = await child.ended
  if (end.outcome === 'failed') throw crash(child, end)
}

async function startChains(ports: Ports, rpcUrls: readonly string[]): Promise<void> {
  const chains = runForever({
    name: 'chains',
    args: [devChains, dataDir, String(ports.chain), String(ports.polygonChain)],
  })
  const question = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
  const requested = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(question),
  }
  await untilReady(chains, async () => {
    const areUp = await Promise.all(rpcUrls.map((url) => isUp(url, requested)))
    return areUp.every(Boolean)
  })
}

async function startServer(env: Record<string, string>, baseUrl: string): Promise<void> {
  const server = runForever({ name: 'server', args: [join(root, 'apps/server/src/main.ts')], env })
  await untilReady(server, () => isUp(`${baseUrl}/readyz`))
}

async function startShop(
  env: Record<string, string>,
  ports: Ports,
  shopUrl: string,
): Promise<void> {
  const shop = runForever({
    name: 'shop',
    args: [join(root, 'apps/shop/src/main.ts')],
    env: { ...env, PORT: String(ports.shop), DATA_DIR: join(dataDir, 'shop') },
  })
  await untilReady(shop, () => isUp(`${shopUrl}/livez`))
}

async function isUp(url: string, init?: RequestInit): Promise<boolean> {
  try {
    return (await fetch(url, { ...init, signal: AbortSignal.timeout(10_000) })).ok
  } catch {
    return false
  }
}

async function runCli(args: readonly string[], env: Record<string, string>): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'apps/server/src/cli.ts'), ...args],
    { cwd: root, env: { ...process.env, ...env }, signal: stopping.signal },
  ).catch((error: { stderr?: string }) => {
    throw new Failure(
      `The server's command line failed at \`${args[0]} ${args[1]}\`:\n${error.stderr}`,
    )
  })
  return stdout.trim()
}

async function listenSecret(apiKey: string): Promise<string> {
  const cli = join(root, 'packages/cli/dist/cli.js')
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [cli, 'listen', '--print-secret'],
    { env: { ...process.env, PAYMENT_INTENTS_API_KEY: apiKey } },
  )
  return stdout.trim()
}

/** Replaced as a whole, and readable by its owner alone. */
function writeEnv(values: Record<string, string>): void {
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(`${envPath}.new`, lines.join(''), { mode: 0o600 })
  renameSync(`${envPath}.new`, envPath)
}

async function stopAll(): Promise<void> {
  stopping.abort()
  if (children.length > 0) say('\nStopping …')
  for (const child of children.toReversed()) await child.stop()
  if (children.length > 0) say('Everything has stopped; the data stays in .data.')
}

function welcome(
  at: Record<'shopUrl' | 'baseUrl' | 'signInUrl' | 'rpcUrl' | 'polygonRpcUrl' | 'apiKey', string>,
): string {
  return `
  Shop       ${at.shopUrl}  (React page)
             ${at.shopUrl}/plain.html  (script tag)
             ${at.shopUrl}/deliveries.html  (webhooks that came)
  Dashboard  ${at.signInUrl}
             (signs you in once, within ten minutes; the next start prints another)
  API        ${at.baseUrl}  (described at /docs)
  Base       ${at.rpcUrl}  (chain 84532, test USDC)
  Polygon    ${at.polygonRpcUrl}  (chain 80002, test USDC)
  Demo key   ${at.apiKey}

  To pay: open the shop, press "Pay with USDC", choose the Demo Wallet and approve; its money is worth nothing.
  To refund: open the paid order's page; the shop signs with the wallet that it is paid at.
  Without ETH: at ${at.shopUrl}/?account=7, that wallet holds USDC alone, and this server pays for the gas.
  A wallet extension can pay as well: import one of the chains' well-known test accounts into it.

  The key is in .data/demo.env, with the secret of \`payment-intents listen\`; the logs are in .data/logs. Ctrl-C stops everything.
`
}
