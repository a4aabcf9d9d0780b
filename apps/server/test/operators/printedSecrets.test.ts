import { expect, onTestFinished, test } from 'vitest'
import { chainOfFile } from '../support/chain/chainServer.ts'
import { payIntent, untilStatus } from '../support/chain/payments.ts'
import {
  createKey,
  exitCode,
  runServer,
  separateDatabase,
  startServer,
} from '../support/server/serverProcess.ts'
import { createIntent } from '../support/server/testServer.ts'

const secret = 'k3yThatNobodyMayRead'

const chain = chainOfFile()

test('a server that starts, serves and stops prints no secret at any log level', async () => {
  const database = await separateDatabase()
  const server = await startServer({
    ...database,
    ...{ SMTP_URL: `smtp://user:${secret}@127.0.0.1:1`, MAIL_FROM: 'payments@example.com' },
    ...{ LOG_LEVEL: 'debug', RPC_URL_BASE_TESTNET: `${chain.url}?key=${secret}` },
  })
  onTestFinished(async () => void (await server.end('SIGKILL')))
  const apiKey = await createKey(database.DATABASE_URL)
  const intent = await createIntent(server, apiKey)
  await payIntent(chain, intent)
  await chain.mine(4)
  await untilStatus(server, intent, 'succeeded')
  expect(await server.end('SIGTERM')).toBe(0)
  const { password } = new URL(database.DATABASE_URL)
  const secrets = [secret, database.SERVER_SECRET, password, apiKey, intent.client_secret]
  expect(server.output()).toContain('listening')
  for (const secret of secrets) {
    expect(secret).toMatch(/.{8}/)
    expect(server.output()).not.toContain(secret)
  }
})

test.each([
  [
    'variables are faulty',
    /^DATABASE_URL: [\s\S]*^RPC_URL_BASE_TESTNET: /m,
    {
      DATABASE_URL: `mysql://u:${secret}@h/d`,
      RPC_URL_BASE_TESTNET: `rpc.example/${secret}`,
    },
  ],
  [
    'the database is down',
    /\w/,
    {
      DATABASE_URL: `postgres://u:${secret}@127.0.0.1:1/d`,
      // Long enough that the server prints a line about waiting.
      DATABASE_WAIT_SECONDS: '2',
      SERVER_SECRET: `${secret}-f3a1c85d09be72461e8ddc0b94a7365f`,
    },
  ],
])('nor does a server that does not start because %s', async (_why, printed, env) => {
  const server = runServer({ RPC_URL_BASE_TESTNET: chain.url, ...env })
  expect(await exitCode(server)).toBe(1)
  expect(server.output()).toMatch(printed)
  expect(server.output()).not.toContain(secret)
})
