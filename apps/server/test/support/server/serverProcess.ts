import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { freePort } from '../../../../../packages/testing/src/devChain/freePort.ts'
import { patience } from '../../../../../tests/support/patience.ts'
import { startProcess, type TestProcess } from '../../../../../tests/support/startProcess.ts'
import { until } from '../../../../../tests/support/until.ts'
import { connect } from '../../../src/store/connection/connect.ts'
import { serverFile } from '../../bundleServer.ts'
import { createDatabase } from '../database/testDb.ts'
import { createTestMerchant, type TestServer } from './testServer.ts'

type Env = Readonly<Record<string, string | undefined>>

export type ServerProcess = TestProcess & Pick<TestServer, 'url' | 'request'>

/**
 * Starts the server like an operator, on a free port, and waits until it is ready.
 * @param file by default the bundle of the tests
 */
export async function startServer(env: Env, file = serverFile): Promise<ServerProcess> {
  const port = env.PORT ?? String(await freePort())
  const url = `http://127.0.0.1:${port}`
  const server = runServer({ ...env, PORT: port }, file)
  try {
    await server.until(async () => {
      const response = await fetch(`${url}/readyz`)
      const { status } = response
      if (status !== 200) throw new Error(`/readyz returns ${status}: ${await response.text()}`)
    })
  } catch (error) {
    await server.end('SIGKILL')
    throw error
  }
  return { ...server, url, request: (path, init) => fetch(url + path, init) }
}

/** Starts the server, and does not wait until it is ready. */
export function runServer(env: Env, file = serverFile): TestProcess {
  return startProcess(file, {
    env: {
      ...{ HOST: '127.0.0.1', POLL_INTERVAL_MS: '100', DATABASE_TIMEOUT_MS: String(patience) },
      LOG_LEVEL: 'debug',
      SHUTDOWN_DELAY_SECONDS: '0',
      ...env,
    },
  })
}

/**
 * Waits for the end of a server that must refuse to start.
 * @throws Error if it starts, after it was killed
 */
export async function exitCode(server: TestProcess): Promise<number | NodeJS.Signals> {
  let ended: number | NodeJS.Signals | undefined
  void server.ended.then((how) => {
    ended = how
  })
  try {
    return await until(() => ended ?? Promise.reject(new Error(`It runs: ${server.output()}`)))
  } finally {
    await server.end('SIGKILL')
  }
}

/** The output of a server that refused to start. */
export function refusalOf(server: TestProcess): string {
  return server.output('stderr').trim()
}

/** Runs the command line to its end. */
export async function runCommand(
  args: readonly string[],
  env: Env,
): Promise<{ code: number | NodeJS.Signals; output: string; notes: string; printed: string }> {
  const command = startProcess(serverFile, { args, env })
  const code = await command.ended
  // Results go to stdout, and errors to stderr.
  const notes = command.output('stderr').trim()
  const printed = command.output('stdout').trim()
  return { code, output: code === 0 ? printed : notes, notes, printed }
}

/** Creates a database, like an operator's own, with all tables; with the template `template1` it is empty. */
export async function separateDatabase(template = inject('templateDatabase')) {
  return {
    DATABASE_URL: await createDatabase(template),
    SERVER_SECRET: randomBytes(32).toString('hex'),
  }
}

/** Creates a merchant with a wallet on the development chain, and returns an API key. */
export async function createKey(databaseUrl: string): Promise<string> {
  const db = connect({
    url: databaseUrl,
    poolSize: 1,
    onError: (error) => {
      throw error
    },
  })
  const { apiKey } = await createTestMerchant(db)
  await db.pool.end()
  return apiKey
}
