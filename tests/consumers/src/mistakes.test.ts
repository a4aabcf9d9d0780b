import { join } from 'node:path'
import { createClient, toUnits, verifyWebhook } from '@payment-intents/node'
import { webhookEvent, webhookRequest } from '@payment-intents/testing/webhooks'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { launchChromium } from '../../support/launchChromium.ts'
import type { Listening } from '../../support/listenLocally.ts'
import { until } from '../../support/until.ts'
import { inBackend } from './mistakes/backend.ts'
import { inPage } from './mistakes/inPage.ts'
import { inTerminal } from './mistakes/inTerminal.ts'
import type { Message, Mistake } from './mistakes/mistake.ts'
import {
  messageInPage,
  messageInProject,
  messageInTerminal,
  messageOfCall,
} from './mistakes/mistakeMessages.ts'
import { outOfPlace } from './mistakes/place.ts'
import { servePages } from './support/servePages.ts'
import { payIntent, price } from './support/serviceRequests.ts'

const { url: baseUrl, apiKey } = inject('service')
const secret = 'whsec_dGhpcnR5LXR3byBieXRlcyBmb3IgYSB0ZXN0IG9ubHk='
const otherSecret = 'whsec_YW5vdGhlciBlbmRwb2ludCwgYW5vdGhlciBzZWNyZXQuLg=='
const secrets = [apiKey, secret, otherSecret, 'pk_test_51', 'sk_test_51', 'sk_live_', '_secret_0']

let browser: Browser
let shop: Listening
let clientSecret: string
let recordedMistakes: readonly (Mistake & Message)[]

beforeAll(async () => {
  for (const name of ['API_KEY', 'BASE_URL', 'WEBHOOK_SECRET']) {
    vi.stubEnv(`PAYMENT_INTENTS_${name}`, undefined)
  }
  browser = await launchChromium()
  const page = `<!doctype html><title>Kiosk</title><script crossorigin src="${baseUrl}/v1/browser.js"></script>`
  shop = await servePages('/', { '/page': async () => page })
  const client = createClient({ apiKey, baseUrl })
  const intent = await client.createPaymentIntent({ amount_units: 25_000_000 })
  const paid = await client.createPaymentIntent({ amount_units: 25_000_000 })
  await payIntent(paid.id)
  await until(async () => {
    expect((await client.paymentIntents.retrieve(paid.id)).status).toBe('succeeded')
  })
  clientSecret = intent.client_secret
  secrets.push(clientSecret)

  const event = webhookEvent('payment_intent.succeeded')
  const anHourAgo = new Date(Date.now() - 3_600_000)
  const scope = {
    ...{ createClient, toUnits, verifyWebhook, client, intent, paid, apiKey, baseUrl, secret },
    ...{ otherSecret, shopUrl: shop.url, delivery: webhookRequest(event, secret) },
    old: webhookRequest(event, secret, { timestamp: anHourAgo }),
  }
  const env = { PAYMENT_INTENTS_API_KEY: apiKey, PAYMENT_INTENTS_BASE_URL: baseUrl }
  const project = join(inject('projects'), 'page')
  recordedMistakes = [
    ...(await each(inBackend, (code) => messageOfCall(code, scope))),
    ...(await each(outOfPlace, (code) => messageInProject(code, project))),
    ...(await each(inPage, (code) =>
      messageInPage(code, { browser, url: `${shop.url}/page`, scope: { apiKey, baseUrl, intent } }),
    )),
    ...(await each(inTerminal, (code) => messageInTerminal(code, env))),
  ]
})

afterAll(async () => {
  await browser?.close()
  shop?.close()
})

/** Runs in sequence, so that the recorded order is that of the tables. */
async function each(mistakes: readonly Mistake[], see: (code: string) => Promise<Message>) {
  const results: (Mistake & Message)[] = []
  for (const mistake of mistakes) results.push({ ...mistake, ...(await see(mistake.code)) })
  return results
}

/** Replaces the parts that differ from run to run. */
function stable(text: string): string {
  return text
    .replaceAll(baseUrl, 'https://pay.example.com')
    .replaceAll(shop.url, 'https://shop.example.com')
    .replace(/ \(request [\w-]+\)$/, '')
    .replace(/signed \d+ s ago/, 'signed 3600 s ago')
}

test('each mistake has the recorded message', async () => {
  expect(recordedMistakes.length).toBeGreaterThanOrEqual(40)
  const entries = recordedMistakes.map(({ mistake, code, from, message }) =>
    [`mistake: ${mistake}`, `code:    ${code}`, `from:    ${from}`, stable(message), ''].join('\n'),
  )
  await expect(entries.join('\n')).toMatchFileSnapshot('recorded/mistakes.txt')
})

test('each message names its subject, and says what to do, in whole sentences', () => {
  const advice =
    /\b(pass|set|check|copy|send|use|leave|call|await|create|import|refund|must|needs|expects|did you mean|known are|make|synchronise|is missing|commands are)\b/i
  for (const { mistake, from, message, about } of recordedMistakes) {
    const text = stable(message)
    expect(text, mistake).toContain(about)
    if (from === 'Chromium') continue
    expect(text, mistake).toMatch(advice)
    expect(text, mistake).toMatch(/[.?]\)?$/)
    expect(text, mistake).not.toMatch(
      /\b(oops|sorry|please|whatever|something went wrong|unexpected error|is not a function|cannot read propert\w+)\b|\[object|\bNaN\b|\{"/i,
    )
  }
})

test('a page of an origin that is registered nowhere opens the checkout', async () => {
  const opened = await browser.newPage()
  await opened.goto(`${shop.url.replace('127.0.0.1', 'localhost')}/page`)
  await opened.evaluate(
    (secret) =>
      Reflect.get(window, 'PaymentIntents').openServiceModal({
        clientSecret: secret,
        merchantName: 'Kiosk',
      }),
    clientSecret,
  )
  await opened.getByRole('heading', { name: price }).waitFor()
  await opened.close()
})

test('no message holds a key or a secret', () => {
  expect(secrets).toHaveLength(8)
  for (const { mistake, message } of recordedMistakes) {
    for (const value of secrets)
      expect(message.includes(value), `${mistake}: ${message}`).toBe(false)
  }
})
