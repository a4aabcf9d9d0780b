import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../../packages/testing/src/devChain/freePort.ts'
import { chainOfFile } from '../support/chain/chainServer.ts'
import { receivedSpans } from '../support/server/collector.ts'
import {
  createKey,
  type ServerProcess,
  separateDatabase,
  startServer,
} from '../support/server/serverProcess.ts'
import { createIntent } from '../support/server/testServer.ts'
import { startReceiver } from '../support/server/webhookReceiver.ts'

const chain = chainOfFile()

async function start(env: Record<string, string>) {
  const database = await separateDatabase()
  const common = { ...database, RPC_URL_BASE_TESTNET: chain.url, OTEL_BSP_SCHEDULE_DELAY: '50' }
  const server = await startServer({ ...common, ...env })
  onTestFinished(async () => void (await server.end('SIGKILL')))
  return { server, apiKey: await createKey(database.DATABASE_URL) }
}

async function create(server: ServerProcess, apiKey: string, count: number): Promise<void> {
  for (let done = 0; done < count; done++) await createIntent(server, apiKey)
}

/** Prints each loaded file of the bundle that exists only for traces. */
const watchModules = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      if (/[/](tracer|traceRequests|traceStatements|tracedBy)-[^/]*$/.test(url)) console.error('loaded ' + url)
      return next(url, context)
    },
  })`)}`

test('only a server that traces loads the code for traces', async () => {
  const NODE_OPTIONS = `--import=${watchModules}`
  const { server: off, apiKey } = await start({ NODE_OPTIONS })
  await create(off, apiKey, 1)
  expect(off.output('stderr')).not.toContain('loaded ')
  const collector = await startReceiver()
  onTestFinished(() => collector.close())
  const tracing = { NODE_OPTIONS, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  const { server: on, apiKey: other } = await start(tracing)
  await create(on, other, 1)
  for (const name of ['tracer', 'traceRequests', 'traceStatements', 'tracedBy'])
    await on.prints(new RegExp(`loaded .*/${name}-`))
  const isProtobuf = () =>
    expect(collector.received.map(({ headers }) => headers['content-type'])).toContain(
      'application/x-protobuf',
    )
  await on.until(isProtobuf)
})

test('an unreachable collector fails no request, is logged once, and delays no stop', async () => {
  const { server, apiKey } = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://user:hunter2@127.0.0.1:${await freePort()}`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=hunter3',
    OTEL_EXPORTER_OTLP_TIMEOUT: '100',
  })
  await create(server, apiKey, 3)
  await server.prints(/"collector":"127.0.0.1:\d+",.*traces cannot be sent/)
  await create(server, apiKey, 30)
  expect(await server.end('SIGTERM')).toBe(0)
  expect(server.output().match(/traces cannot be sent/g)).toHaveLength(1)
  expect(server.output()).not.toMatch(/hunter[23]/)
})

test('a collector that never responds drops spans, and delays neither requests nor the stop', async () => {
  const collector = await startReceiver()
  collector.replyWith('hang')
  onTestFinished(() => collector.close())
  const { server, apiKey } = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    // With such a timeout, the stop would wait for the collector.
    OTEL_EXPORTER_OTLP_TIMEOUT: '3600000',
    OTEL_BSP_EXPORT_TIMEOUT: '3600000',
    OTEL_BSP_MAX_QUEUE_SIZE: '64',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '32',
  })
  await create(server, apiKey, 60)
  await server.until(() => expect(collector.connections()).toBeGreaterThan(0))
  expect(await server.end('SIGTERM')).toBe(0)
})

test('a server that stops sends the remaining spans of the traces that the sampler keeps', async () => {
  const collector = await startReceiver()
  onTestFinished(() => collector.close())
  const json = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_BSP_SCHEDULE_DELAY: '3600000' }
  const env = { ...json, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'kiosk' }
  const created = () =>
    receivedSpans(collector).filter(({ name }) => name === 'POST /v1/payment_intents')
  const { server, apiKey } = await start(env)
  await create(server, apiKey, 3)
  expect(await server.end('SIGTERM')).toBe(0)
  expect(created()).toHaveLength(3)
  expect(created()[0]?.resource).toMatchObject({ 'service.name': 'kiosk' })
  const { server: otherServer, apiKey: key } = await start({
    ...{ ...env, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' },
    OTEL_TRACES_SAMPLER_ARG: '0',
  })
  await create(otherServer, key, 3)
  expect(await otherServer.end('SIGTERM')).toBe(0)
  expect(created()).toHaveLength(3)
})
