import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fetchModule } from '../../../../scripts/fetch/fetchModule.ts'
import { listenLocally } from '../../../support/listenLocally.ts'

type Verdaccio = { runServer(config: object): Promise<Server> }

export type Registry = {
  /** Ends with a slash. */
  readonly url: string
  /** Lets its holder publish. */
  readonly token: string
  close(): Promise<void>
}

/**
 * An npm registry that has what is published to it with its token, and all other packages from the registry that npm
 * uses on this machine. Our own never come from there.
 */
export async function startRegistry(folder: string): Promise<Registry> {
  const { runServer } = await fetchModule<Verdaccio>('registry', 'verdaccio')
  const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'registry'])
  const config = join(folder, 'config.yaml')
  const server = await runServer({
    configPath: config,
    self_path: config,
    storage: join(folder, 'storage'),
    auth: { htpasswd: { file: join(folder, 'htpasswd') } },
    uplinks: { machine: { url: stdout.trim(), timeout: '2m', max_fails: 100 } },
    packages: {
      '@payment-intents/*': { access: '$all', publish: '$authenticated' },
      '**': { access: '$all', proxy: 'machine' },
    },
    // The documentation makes the server's package larger than the default.
    max_body_size: '100mb',
    web: { enable: false },
    log: { type: 'stdout', format: 'pretty', level: 'fatal' },
  })
  const { url, close } = await listenLocally(server)
  return { url: `${url}/`, token: await signUp(url), close }
}

async function signUp(url: string): Promise<string> {
  const response = await fetch(`${url}/-/user/org.couchdb.user:releaser`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'releaser', password: randomUUID() }),
  })
  const { token } = (await response.json()) as { token?: string }
  if (!token) throw new Error(`The registry has no user: it responded ${response.status}.`)
  return token
}
