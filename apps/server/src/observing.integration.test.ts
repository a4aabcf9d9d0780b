import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { until } from '../../../tests/support/until.ts'
import { chainOfFile } from '../test/chainServer.ts'
import { merchantApi } from '../test/merchantApi.ts'
import { payIntent, untilStatus } from '../test/payments.ts'
import { createKey, ownDatabase, type ServerProcess, startServer } from '../test/serverProcess.ts'
import { createIntent, type Json, shopWallet } from '../test/testServer.ts'
import { startReceiver } from '../test/webhookReceiver.ts'

const chain = chainOfFile()
const dashboard = new URL('../../../deploy/grafana-dashboard.json', import.meta.url)
const alerts = new URL('../../../deploy/alerts.yaml', import.meta.url)

let server: ServerProcess
let api: ReturnType<typeof merchantApi>
let apiKey: string
let paid: Json
let secrets: string[]

/** A server on which each kind of thing has happened. */
beforeAll(async () => {
  const env = { ...(await ownDatabase()), RPC_URL_BASE_TESTNET: chain.url, LOG_LEVEL: 'debug' }
  const more = { DEVELOPMENT_CHAIN: 'true', WEBHOOK_ALLOW_PRIVATE: 'true' }
  server = await startServer({ ...env, ...more })
  apiKey = await createKey(env.DATABASE_URL)
  api = merchantApi(server, apiKey)
  const receiver = await startReceiver()
  receiver.answer(({ path }) => (path === '/gone' ? 410 : 200))
  secrets = [apiKey]
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
  return async () => {
    await server.end('SIGTERM')
    await receiver.close()
  }
})

type Samples = Map<string, Set<string>>

/** The labels of each metric, and the text. */
async function scrape(): Promise<{ samples: Samples; text: string }> {
  const text = await (await server.request('/metrics')).text()
  const samples: Samples = new Map()
  for (const line of text.split('\n')) {
    const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? []
    if (!name) continue
    const known = samples.get(name) ?? new Set()
    samples.set(name, known)
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label ?? '')
  }
  return { samples, text }
}

/** What an expression of PromQL names: metrics with their selectors, and labels that it groups by. */
function namedBy(expression: string) {
  const metrics = [
    ...expression.matchAll(/\b((?:payment_intents|http|process|nodejs)_\w+)(?:\{([^}]*)\})?/g),
  ].map(([, name = '', selector = '']) => ({
    name,
    labels: [...selector.matchAll(/(\w+)\s*[!=]/g)].map(([, label = '']) => label),
  }))
  const groups = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, by = '']) =>
    by.split(',').map((label) => label.trim()),
  )
  return { metrics, groups }
}

async function expressions(): Promise<string[]> {
  const { panels } = JSON.parse(await readFile(dashboard, 'utf8'))
  const shown = panels.flatMap((panel: { targets?: { expr: string }[] }) =>
    (panel.targets ?? []).map(({ expr }) => expr),
  )
  const rules = [...(await readFile(alerts, 'utf8')).matchAll(/^ +expr: (.*)$/gm)]
  return [...shown, ...rules.map(([, expr = '']) => expr)]
}

test('every metric of the dashboard and of the alerts exists, with the labels that they use', async () => {
  const given = new Set(['job', 'instance'])
  const asked = await expressions()
  expect(asked.length).toBeGreaterThan(30)
  await until(async () => {
    const { samples } = await scrape()
    for (const expression of asked) {
      const { metrics, groups } = namedBy(expression)
      for (const { name, labels } of metrics) {
        const known = samples.get(name) ?? expect.fail(`There is no ${name}.`)
        const missing = [...labels, ...groups].filter((one) => !known.has(one) && !given.has(one))
        expect(missing, expression).toEqual([])
      }
      const isPlain = metrics.length > 0 || expression.includes('up{')
      expect(isPlain, expression).toBe(true)
    }
  })
})

test('every metric of our own is on the dashboard or in an alert', async () => {
  const used = (await expressions()).join('\n')
  const { samples } = await scrape()
  const own = [...samples.keys()].filter((name) => name.startsWith('payment_intents_'))
  const unused = own.filter((name) => !used.includes(name.replace(/_(bucket|sum|count)$/, '')))
  expect(unused).toEqual([])
})

test('what happened is counted', async () => {
  const base = 'chain="base",mode="testnet"'
  await until(async () => {
    const { text } = await scrape()
    for (const line of [
      `payment_intents_events_total{${base},type="payment_intent.created"} 3`,
      `payment_intents_events_total{${base},type="payment_intent.canceled"} 1`,
      `payment_intents_events_total{${base},type="payment_intent.succeeded"} 1`,
      `payment_intents_events_total{${base},type="payment_intent.expired"} 0`,
      `payment_intents_events_total{${base},type="transfer.unmatched"} 2`,
      // The wallet's first money, and what a payer meant for an intent.
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

test('each thing that happens to money or to a webhook is a line of the log, without a secret', async () => {
  const lines = () =>
    server
      .output('stdout')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  const info = 30
  await until(() => {
    const said = lines().map(({ level, msg, event, payment_intent }) => {
      return { level, msg, event, payment_intent }
    })
    for (const [event, level] of [
      ['payment_intent.created', 20],
      ['payment_intent.succeeded', info],
    ]) {
      const line = { msg: 'recorded', event, level, payment_intent: paid.id }
      expect(said).toContainEqual(line)
    }
    const ofOthers = said.filter(({ level }) => level >= info).map(({ event }) => event)
    expect(ofOthers).toEqual(
      expect.arrayContaining(['payment_intent.canceled', 'transfer.unmatched']),
    )
  })
  await server.prints(/"reason":"gone","msg":"webhook endpoint disabled"/)
  const urls = lines().flatMap(({ req, level }) => (req ? [[req.url, level]] : []))
  expect(urls).toContainEqual(['/v1/payment_intents', 20])
  expect(urls.filter(([url]) => /^.(metrics|livez|readyz)/.test(url))).toEqual([])
  for (const secret of [...secrets, paid.client_secret]) {
    expect(server.output()).not.toContain(secret.replace(/^whsec_/, ''))
  }
})
