import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createClient } from '@payment-intents/node'
import { inject } from 'vitest'
import { devAccounts } from '../../../../packages/testing/src/devChain/devAccounts.ts'
import { freePort } from '../../../../packages/testing/src/devChain/freePort.ts'
import { fetchExecutable } from '../../../../scripts/fetch/fetchExecutable.ts'
import { patientCalls } from '../../../support/patience.ts'
import { followProcess } from '../../../support/startProcess.ts'

export const examples = join(import.meta.dirname, '../../../../examples')

export type ExampleShop = {
  readonly url: string
  /** The id of its webhook endpoint, and the service's signing secret. */
  readonly endpoint: string
  readonly webhookSecret: string
  /** Secrets that must reach no page. */
  readonly secrets: readonly string[]
  /** The output since the last start. */
  output(): string
  restart(): Promise<void>
  /** Runs a script of its package.json, unless it has none of this name. @returns what was printed */
  script(name: string, flags?: string): Promise<string | undefined>
  /** Ends it, and removes all that it has left. */
  remove(): Promise<void>
}

/**
 * An example, copied to an empty folder and run by the commands of its own README, with an empty home: the last of them
 * starts it.
 */
export async function startExample(name: string): Promise<ExampleShop> {
  const { root, folder } = await copyExample(name)
  const read = (file: string) => readFile(join(folder, file), 'utf8')

  const { url: baseUrl, apiKey } = inject('service')
  const { webhookEndpoints } = createClient({ apiKey, baseUrl, ...patientCalls })
  const port = await freePort()
  const url = `http://localhost:${port}`
  const endpoint = await webhookEndpoints.create({ url: `${url}/webhooks` })
  const settings: Record<string, string> = {
    PAYMENT_INTENTS_API_KEY: apiKey,
    PAYMENT_INTENTS_BASE_URL: baseUrl,
    PAYMENT_INTENTS_WEBHOOK_SECRET: endpoint.secret,
    WALLET: `0x${'5'.repeat(40)}`,
    PAYER_KEY: String(devAccounts[3]?.privateKey),
  }
  const template = await read('.env.example')
  const filled = template.replace(/^(\w+)=.*$/gm, (_line, key) => `${key}=${settings[key]}`)
  await writeFile(join(folder, '.env'), filled)

  const readme = await read('README.md')
  const commands = /^```sh\n(.*?)\n```$/ms.exec(readme)?.[1]?.split('\n') ?? []
  const runtimes = [process.execPath]
  if (commands.some((line) => line.startsWith('bun '))) {
    runtimes.push(await fetchExecutable('bun', 'bin/bun'))
  }
  const bins = [join(folder, 'node_modules/.bin'), ...runtimes.map((file) => dirname(file))]
  const PATH = [...bins, process.env.PATH].join(':')
  const env = { PATH, HOME: join(root, 'home'), PORT: `${port}`, ...caches }
  await mkdir(env.HOME)
  const start = (command: string) =>
    followProcess(
      spawn('sh', ['-c', command], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }),
      command,
    )
  const run = async (command: string) => {
    const child = start(command)
    const exit = await child.ended
    if (exit !== 0) throw new Error(`${command} ended with ${exit}:\n${child.output()}`)
    return child.output('stdout')
  }
  const last = commands.pop() ?? ''
  for (const command of commands) await run(command)

  const { scripts = {} } = JSON.parse(await read('package.json').catch(() => '{}'))
  // Not by npm, which ends at a signal before the program does.
  const program = / start$/.test(last) ? scripts.start : last
  const open = async () => {
    const child = start(`exec ${program}`)
    await child.until(() => fetch(url))
    return child
  }
  let running = await open()
  return {
    url,
    endpoint: endpoint.id,
    webhookSecret: endpoint.secret,
    secrets: [apiKey, endpoint.secret],
    output: () => running.output(),
    async restart() {
      await running.end('SIGTERM')
      running = await open()
    },
    script: async (script, flags = '') => scripts[script] && run(`${scripts[script]} ${flags}`),
    async remove() {
      await running.end('SIGTERM')
      await webhookEndpoints.delete(endpoint.id)
      await rm(root, { recursive: true })
    },
  }
}

/** Copies an example to an empty folder, where it finds the packed packages. */
export async function copyExample(name: string): Promise<{ root: string; folder: string }> {
  const root = await mkdtemp(join(tmpdir(), 'payment-intents-example-'))
  const folder = join(root, name)
  await cp(join(examples, name), folder, { recursive: true, filter })
  await writeFile(join(folder, '.npmrc'), `@payment-intents:registry=${inject('registry')}\n`)
  return { root, folder }
}

/** Files that a contributor who has tried the example has left there. */
const excluded = [
  ...['node_modules', '.env', 'shop.db', '__pycache__'],
  ...['dist', '.next', 'build', '.svelte-kit'],
]
const filter = (path: string) => !excluded.includes(basename(path))

const { NODE_EXTRA_CA_CERTS } = process.env

/** The home is empty, but earlier downloads are not loaded again, from registries that the machine trusts. */
export const caches = {
  ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }),
  npm_config_cache: process.env.npm_config_cache ?? join(homedir(), '.npm'),
  npm_config_prefer_offline: 'true',
  BUN_INSTALL_CACHE_DIR: join(homedir(), '.bun/install/cache'),
  NEXT_TELEMETRY_DISABLED: '1',
}
