import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { verifyWebhook } from '@payment-intents/node'
import { startDevChain } from '@payment-intents/testing'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import { startProcess } from '../../../../tests/support/startProcess.ts'
import { payIntent } from '../support/chain/payments.ts'
import { merchantApi } from '../support/server/merchantApi.ts'
import {
  createKey,
  type ServerProcess,
  separateDatabase,
  startServer,
} from '../support/server/serverProcess.ts'
import { createIntent, type Json } from '../support/server/testServer.ts'
import { startReceiver } from '../support/server/webhookReceiver.ts'

const manifestPath = createRequire(import.meta.url).resolve('@payment-intents/cli/package.json')
const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'))
const cli = join(dirname(manifestPath), manifest.bin['payment-intents'])

test('payment-intents listen posts the events of a real server, even after the server was killed', async () => {
  const chain = await startDevChain({ blockTime: 0 })
  onTestFinished(() => chain.stop())
  const env = { ...(await separateDatabase()), RPC_URL_BASE_TESTNET: chain.url }
  const start = async (more: { PORT?: string } = {}): Promise<ServerProcess> => {
    const server = await startServer({ ...env, ...more })
    onTestFinished(async () => void (await server.end('SIGKILL')))
    return server
  }
  const server = await start()
  const apiKey = await createKey(env.DATABASE_URL)
  const create = () => createIntent(server, apiKey)
  const earlier = await create()

  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const listener = startProcess(cli, {
    args: ['listen', '--format', 'json', '--forward-to', `${receiver.url}/hooks`],
    env: { PAYMENT_INTENTS_API_KEY: apiKey, PAYMENT_INTENTS_BASE_URL: server.url },
  })
  onTestFinished(async () => void (await listener.end('SIGKILL')))
  /** The output of the listener, which prints a JSON object per line. */
  const news = () =>
    listener
      .output()
      .split('\n')
      .slice(0, -1)
      .map((line): Json => JSON.parse(line))
  const kinds = () => news().map(({ kind }) => kind)
  // Events may follow at once, since the first blocks of the chain have a transfer to the wallet.
  await listener.until(() => expect(news()[0]).toMatchObject({ kind: 'ready' }))
  const [{ secret }] = news() as [Json]

  const paid = await create()
  await payIntent(chain, paid)
  await chain.mine(4)
  const types = () => receiver.received.map(({ body }) => JSON.parse(body).type)
  await listener.until(() => expect(types()).toContain('payment_intent.succeeded'))

  await server.end('SIGKILL')
  await listener.until(() => expect(kinds()).toContain('lost'))
  await start({ PORT: new URL(server.url).port })
  const after = await create()
  await listener.until(() => expect(kinds()).toContain('regained'))
  await listener.until(() => expect(JSON.stringify(receiver.received)).toContain(after.id))

  const shown = news().flatMap(({ kind, event }) => (kind === 'event' ? [event] : []))
  const { data: all } = await merchantApi(server, apiKey).read('/v1/events', { limit: '100' })
  expect(shown).toEqual(all.slice(all.findIndex(({ id }: Json) => id === shown[0].id)))
  const lines = shown.map(({ type, data }) => `${type} ${data.object.id}`)
  expect(lines).toContain(`payment_intent.created ${paid.id}`)
  expect(lines).toContain(`payment_intent.succeeded ${paid.id}`)
  expect(lines).not.toContain(`payment_intent.created ${earlier.id}`)

  const posted = await Promise.all(
    receiver.received.map(async ({ body, headers }) => {
      new Webhook(secret).verify(body, headers as Record<string, string>)
      return verifyWebhook(body, headers, secret, { mode: 'testnet' })
    }),
  )
  const byId = (event: Json, other: Json) => (event.id < other.id ? -1 : 1)
  expect(posted.sort(byId)).toEqual(shown.sort(byId))

  expect(await listener.end('SIGINT')).toBe(0)
})
