import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import * as conventions from '@opentelemetry/semantic-conventions'
import type { DevAccount } from '@payment-intents/testing'
import { beforeAll, expect, test } from 'vitest'
import { until } from '../../../../tests/support/until.ts'
import { chainOfFile } from '../../test/support/chain/chainServer.ts'
import { payIntent, untilStatus } from '../../test/support/chain/payments.ts'
import { messageOf, sign } from '../../test/support/chain/signAuthorization.ts'
import { type ReceivedSpan, receivedSpans } from '../../test/support/server/collector.ts'
import { merchantApi } from '../../test/support/server/merchantApi.ts'
import { expressions, readSamples } from '../../test/support/server/promql.ts'
import {
  createKey,
  type ServerProcess,
  separateDatabase,
  startServer,
} from '../../test/support/server/serverProcess.ts'
import {
  createIntent,
  type Json,
  post,
  resolveIntent,
  shopWallet,
} from '../../test/support/server/testServer.ts'
import { type Receiver, startReceiver } from '../../test/support/server/webhookReceiver.ts'

const chain = chainOfFile()

let server: ServerProcess
let api: ReturnType<typeof merchantApi>
let apiKey: string
let paid: Json
let secrets: string[]
let collector: Receiver
let receiver: Receiver
const callersTrace = '0af7651916cd43dd8448eb211c80319c'

/** Starts a server on which an event of each kind happens. */
beforeAll(async () => {
  const env = { ...(await separateDatabase()), RPC_URL_BASE_TESTNET: chain.url, LOG_LEVEL: 'debug' }
  const { privateKey: RELAYER_KEY_BASE_TESTNET = '0x' } = chain.accounts[8] ?? {}
  const switches = { DEVELOPMENT_CHAIN: 'true', WEBHOOK_ALLOW_PRIVATE: 'true' }
  const more = { ...switches, RELAYER_KEY_BASE_TESTNET }
  collector = await startReceiver()
  server = await startServer({
    ...{ ...env, ...more, TRUSTED_PROXY: '1' },
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=payments',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  })
  apiKey = await createKey(env.DATABASE_URL)
  api = merchantApi(server, apiKey)
  receiver = await startReceiver()
  receiver.replyWith(({ path }) => (path === '/gone' ? 410 : 200))
  secrets = [apiKey, RELAYER_KEY_BASE_TESTNET.slice(2)]
  await server.request('/livez')
  for (const path of ['hooks', 'gone']) {
    const endpoint = await api.post('/v1/webhook_endpoints', { url: `${receiver.url}/${path}` })
    secrets.push((await endpoint.json()).secret)
  }
  const canceled = await createIntent(server, apiKey)
  await api.post(`/v1/payment_intents/${canceled.id}/cancel`)
  paid = await createIntent(server, apiKey)
  await payIntent(chain, paid)
  const [, payer] = chain.accounts
  const missed = await createIntent(server, apiKey, { amount_units: 7_000_000 })
  await chain.pay({
    from: payer?.address ?? shopWallet,
    to: shopWallet,
    amount: BigInt(missed.payable_amount_units) + 1n,
  })
  await chain.mine(5)
  await untilStatus(server, paid, 'succeeded')
  const traceparent = `00-${callersTrace}-b7ad6b7169203331-01`
  const path = `/v1/payment_intents/${paid.client_secret}?limit=hunter2`
  await api.send('GET', path, undefined, { traceparent })
  await server.request('/v1/payment_intents/resolve', {
    method: 'POST',
    headers: { 'content-type': 'application/json', traceparent },
    body: JSON.stringify({ client_secret: paid.client_secret }),
  })
  return async () => {
    await server.end('SIGTERM')
    await receiver.close()
    await collector.close()
  }
})

async function scrape(): Promise<string> {
  return (await server.request('/metrics')).text()
}

test('every metric of our own is on the dashboard or in an alert', async () => {
  const used = (await expressions()).join('\n')
  const names = new Set(readSamples(await scrape()).map(({ name }) => name))
  const serverMetrics = [...names].filter((name) => name.startsWith('payment_intents_'))
  const unused = serverMetrics.filter(
    (name) => !used.includes(name.replace(/_(bucket|sum|count)$/, '')),
  )
  expect(unused).toEqual([])
})

test('each event is counted', async () => {
  const base = 'chain="base",mode="testnet"'
  await until(async () => {
    const text = await scrape()
    for (const line of [
      `payment_intents_events_total{${base},type="payment_intent.created"} 3`,
      `payment_intents_events_total{${base},type="payment_intent.canceled"} 1`,
      `payment_intents_events_total{${base},type="payment_intent.succeeded"} 1`,
      `payment_intents_events_total{${base},type="payment_intent.expired"} 0`,
      `payment_intents_events_total{${base},type="transfer.unmatched"} 2`,
      // The first USDC of the wallet, and an attempt to pay an intent.
      `payment_intents_unmatched_transfers_total{${base},reason="no_intent",suggested="false"} 1`,
      `payment_intents_unmatched_transfers_total{${base},reason="amount_mismatch",suggested="true"} 1`,
      `payment_intents_time_to_success_seconds_count{${base}} 1`,
      `payment_intents_open{${base},status="requires_payment"} 1`,
      `payment_intents_open{${base},status="pending_confirmations"} 0`,
      `payment_intents_provider_up{${base},provider="${new URL(chain.url).host}"} 1`,
      'payment_intents_webhook_endpoints_disabled 1',
      'payment_intents_webhook_oldest_due_seconds 0',
    ]) {
      expect(text).toContain(`${line}\n`)
    }
    expect(text).toMatch(/^payment_intents_webhook_attempts_total\{outcome="delivered"\} \d+$/m)
  })
})

test('each event of money or a webhook is a line of the log, without a secret', async () => {
  const lines = () =>
    server
      .output('stdout')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  await until(() => {
    const said = lines().map(({ level, msg, event, payment_intent }) => {
      return { level, msg, event, payment_intent }
    })
    for (const [event, level] of [
      ['payment_intent.created', 'debug'],
      ['payment_intent.succeeded', 'info'],
    ]) {
      const line = { msg: 'recorded', event, level, payment_intent: paid.id }
      expect(said).toContainEqual(line)
    }
    const ofOthers = said.filter(({ level }) => level === 'info').map(({ event }) => event)
    expect(ofOthers).toEqual(
      expect.arrayContaining(['payment_intent.canceled', 'transfer.unmatched']),
    )
  })
  const [first] = lines()
  const { version } = JSON.parse(
    await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  expect(first).toMatchObject({ level: 'info', version, msg: 'starting' })
  expect(server.output('stderr')).toBe('')
  const about = { mode: 'testnet', merchant: expect.stringMatching(/^mer_/), chain_id: 84532 }
  const succeeded = lines().filter(({ event }) => event === 'payment_intent.succeeded')
  expect(succeeded).toContainEqual(
    expect.objectContaining({
      ...about,
      ...{ payment_intent: paid.id, amount_units: paid.amount_units },
      tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    }),
  )
  await server.prints(/"reason":"gone","msg":"webhook endpoint disabled"/)
  const urls = lines().flatMap(({ req, level }) => (req ? [[req.url, level]] : []))
  expect(urls).toContainEqual(['/v1/payment_intents', 'debug'])
  expect(urls.filter(([url]) => /^.(metrics|livez|readyz)/.test(url))).toEqual([])
  for (const secret of [...secrets, paid.client_secret]) {
    expect(server.output()).not.toContain(secret.replace(/^whsec_/, ''))
  }
})

/** Waits for a matching span. */
function spansWith(matches: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan[]> {
  return until(() => {
    const result = receivedSpans(collector).filter(matches)
    expect(result).not.toEqual([])
    return result
  })
}

const withAttribute = (name: string, value: unknown) =>
  spansWith(({ attributes }) => attributes[name] === value)
const operation = (id: string) => withAttribute('payment_intents.operation_id', id)

test('a variable that may be misspelt is a warning in the log', async () => {
  await server.prints(
    /"level":"warn".*"msg":"TRUSTED_PROXY: is not a variable of this server and is ignored/,
  )
})

test('a request is a span, with its statements, in the trace of the merchant’s backend', async () => {
  const [created] = await operation('createPaymentIntent')
  expect(created).toMatchObject({
    ...{ name: 'POST /v1/payment_intents', kind: 'server', parentId: '', failed: false },
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v1/payment_intents',
      'http.response.status_code': 200,
      'url.path': '/v1/payment_intents',
      'url.scheme': 'http',
    },
    resource: { 'service.name': 'payment-intents-server', 'deployment.environment.name': 'test' },
  })
  const statements = await spansWith(({ traceId, kind }) => {
    return traceId === created?.traceId && kind === 'client'
  })
  expect(statements.map(({ name }) => name)).toContain('insert-creations')
  for (const { parentId, attributes } of statements) {
    expect(parentId).toBe(created?.id)
    expect(attributes).toMatchObject({ 'db.system.name': 'postgresql' })
    expect(attributes).not.toHaveProperty('db.query.text')
  }
  const ofCaller = await operation('retrievePaymentIntent')
  expect(ofCaller).toContainEqual(expect.objectContaining({ traceId: callersTrace }))
  for (const { traceId } of await operation('resolvePaymentIntent')) {
    expect(traceId).not.toBe(callersTrace)
  }
  expect(collector.received[0]?.headers).toMatchObject({ 'x-team': 'payments' })
})

test('the statements of a request whose body comes late are in its trace', async () => {
  const headers = { 'content-type': 'application/json', 'x-request-id': 'late-body' }
  const late = request(`${server.url}/v1/payment_intents/resolve`, { method: 'POST', headers })
  const responding = once(late, 'response')
  late.flushHeaders()
  await server.prints(/"reqId":"late-body".*"incoming request"/)
  late.end(JSON.stringify({ client_secret: paid.client_secret }))
  const [response] = await responding
  response.resume()
  const [span] = await withAttribute('payment_intents.request_id', 'late-body')
  const within = await spansWith(({ parentId }) => parentId === span?.id)
  expect(within.map(({ name }) => name)).toContain('find-for-checkouts')
})

test('a poll of a chain is a span, with its range and its lag', async () => {
  const [result] = await spansWith(({ name, attributes }) => {
    return name === 'read chain' && attributes['payment_intents.events'] > 0
  })
  expect(result).toMatchObject({
    ...{ kind: 'internal', parentId: '' },
    attributes: {
      'payment_intents.chain': 'base',
      'payment_intents.mode': 'testnet',
      'payment_intents.provider': new URL(chain.url).host,
      'payment_intents.block.lag': expect.any(Number),
      'payment_intents.block.head': expect.any(Number),
    },
  })
  const { 'payment_intents.block.head': head, 'payment_intents.block.read_to': to } =
    result?.attributes ?? {}
  expect(head - to).toBe(result?.attributes['payment_intents.block.lag'])
  const within = await spansWith(({ parentId }) => parentId === result?.id)
  expect(within.map(({ name }) => name)).toContain('insert-events')
})

test('each attempt of a webhook is a span, with its event and outcome; the shop gets no trace context', async () => {
  const outcome = (name: string) => withAttribute('payment_intents.webhook.outcome', name)
  expect(await outcome('delivered')).toContainEqual(
    expect.objectContaining({
      ...{ name: 'POST webhook', kind: 'client', parentId: '', failed: false },
      attributes: {
        'http.request.method': 'POST',
        'http.request.resend_count': 0,
        'http.response.status_code': 200,
        'server.address': '127.0.0.1',
        'payment_intents.event.id': expect.stringMatching(/^evt_/),
        'payment_intents.event.type': 'payment_intent.succeeded',
        'payment_intents.webhook.attempt': 1,
        'payment_intents.webhook.outcome': 'delivered',
      },
    }),
  )
  const [failed] = await withAttribute('http.response.status_code', 410)
  expect(failed).toMatchObject({ failed: true, attributes: { 'error.type': '410' } })
  expect(receiver.received.length).toBeGreaterThan(0)
  for (const { headers } of receiver.received) expect(headers).not.toHaveProperty('traceparent')
})

test('spans use the names of the conventions or our own, hold no secret, and none is of a probe', async () => {
  await operation('resolvePaymentIntent')
  const current = new Set<unknown>(Object.values(conventions))
  const spans = receivedSpans(collector)
  for (const { headers } of collector.received) {
    // The exporter adds its own name after the server's.
    expect(headers['user-agent']).toMatch(/^payment-intents-server\/\d/)
  }
  const names = new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)))
  const others = [...names].filter((name) => !current.has(name))
  expect(others.filter((name) => !name.startsWith('payment_intents.'))).toEqual([])
  expect(spans.filter(({ name }) => /livez|readyz|metrics/.test(name))).toEqual([])
  const sent = collector.received.map(({ body }) => body).join('\n')
  expect(sent).toContain(`/v1/payment_intents/${paid.id}_secret_…"`)
  for (const secret of [...secrets, paid.client_secret, 'hunter2']) {
    expect(sent).not.toContain(secret)
  }
})

test('a payer with USDC and no gas pays, the relayer’s gas is counted, and its key appears nowhere', async () => {
  const [, , , payer] = chain.accounts as [never, never, never, DevAccount]
  await chain.rpc('anvil_setBalance', [payer.address, '0x0'])
  const intent = await createIntent(server, apiKey, { amount_units: 3_000_000 })
  const offered = await until(async () => {
    const response = await resolveIntent(server, intent.client_secret)
    expect(response.gasless).not.toBeNull()
    return response
  })
  const authorization = messageOf(offered, payer)
  const signature = await sign(chain, payer, authorization)
  const body = { client_secret: intent.client_secret, authorization, signature }
  expect((await post(server, '/v1/payment_intents/authorize', body)).status).toBe(200)
  const relayed = await until(async () => {
    await chain.mine()
    const response = await resolveIntent(server, intent.client_secret)
    expect(response).toMatchObject({ status: 'succeeded', authorization: { status: 'used' } })
    return response
  })
  expect(relayed.authorization.tx_hash).toBe(relayed.tx_hash)
  await server.prints(new RegExp(`"intent":"${intent.id}".*"outcome":"succeeded".*"relayed"`))
  const labels = 'chain="base",mode="testnet"'
  await until(async () => {
    await chain.mine()
    const text = await scrape()
    const line = `payment_intents_relayer_transactions_total{${labels},outcome="succeeded"} 1`
    expect(text).toContain(`${line}\n`)
    expect(text).toMatch(/^payment_intents_relayer_spend_total\{[^}]*\} (?!0$)/m)
    expect(text).toContain(`payment_intents_relayer_in_flight{${labels}} 0\n`)
  })
  for (const secret of secrets) expect(server.output()).not.toContain(secret)
})
