import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { openapi } from '@payment-intents/contract'
import type { default as Axe } from 'axe-core'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { findChromium } from '../../../../../tests/support/findChromium.ts'
import { startChromium } from '../../../../../tests/support/startChromium.ts'
import { startTestServer } from '../../../test/support/server/testServer.ts'
import type { ApiDocument } from './apiDocument.ts'
import { referencePage } from './referencePage.ts'

const document = openapi({ baseUrl: 'http://localhost:4242' }) as ApiDocument
let response: Awaited<ReturnType<typeof fetch>>
let html: string
let url: string

beforeAll(async () => {
  const server = await startTestServer()
  url = `${server.url}/docs/api`
  response = await fetch(url)
  html = await response.text()
  return () => server.close()
})

/** The visible text of a section. */
function textOf(id: string): string {
  const [, section = ''] = html.split(`<section id="${id}">`)
  return (section.split('</section>')[0] ?? '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
}

test('has every operation with its parameters and responses', () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  expect(operations.length).toBeGreaterThan(8)
  for (const { path, method, operation } of operations) {
    const text = textOf(operation.operationId)
    expect(text).toContain(operation.summary)
    expect(text).toMatch(new RegExp(`${method.toUpperCase()}\\s+${path.replace(/[{}]/g, '\\$&')}`))
    for (const { name } of operation.parameters ?? []) expect(text).toContain(` ${name} `)
    for (const status of Object.keys(operation.responses)) expect(text).toContain(` ${status} `)
  }
})

test('has every property of every object, even inside another', () => {
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const text = textOf(name)
    for (const property of Object.keys(schema.properties ?? {})) {
      expect(text).toContain(` ${property} `)
    }
  }
  expect(textOf('ResolvedPaymentIntent')).toContain(' manual.payment_uri ')
  expect(textOf('Error')).toContain(' issues[].path ')
  expect(textOf('AttentionItem')).toMatch(/AttentionTransfer\s+or\s+AttentionPaymentIntent/)
  expect(textOf('TimelineTransfer')).toContain(' bound_by ')
  expect(textOf('ResolvePaymentIntent')).toMatch(/wait_seconds\s+optional\s+integer, 0 to 25/)
})

test('has every type of event with its object', () => {
  const types = Object.keys(document.webhooks)
  expect(types).toContain('payment_intent.succeeded')
  for (const type of types) {
    expect(textOf('webhooks')).toMatch(
      new RegExp(` ${type} +(RetrievedPaymentIntent|Transfer|ListedRefund|WebhookEndpoint|Alert) `),
    )
  }
})

test('is readable for everyone in a browser, and requests nothing else', async () => {
  const browser = await startChromium(await findChromium())
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  const requested: string[] = []
  const refused: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  page.on('console', (message) => {
    if (message.type() === 'error') refused.push(message.text())
  })
  await page.goto(url)
  const headings = await page.getByRole('heading').allInnerTexts()
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  expect(headings).toEqual(expect.arrayContaining(operations.map(({ summary }) => summary)))
  await page.evaluate(
    await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8'),
  )
  const faults = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof Axe }
    const { violations } = await axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join()}`)
  })
  expect(faults).toEqual([])
  expect(refused).toEqual([])
  expect(requested).toEqual([url])
})

test('needs no script and no other file, and every link resolves', () => {
  expect(html).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|\ssrc=/i)
  const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, target = '']) => target)
  expect(links.length).toBeGreaterThan(20)
  for (const target of links) {
    if (target === '/openapi.json') continue
    expect(target).toMatch(/^#/)
    expect(html).toContain(`id="${target.slice(1)}"`)
  }
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src/)
})

test.each(['<script>alert(1)</script>', '"><img src=x>', '`<b>`', '" onclick="alert(1)'])(
  'the document’s content is text: %s',
  (text) => {
    const markup = (page: string) =>
      (page.match(/<\/?\w+| [\w-]+="/g) ?? []).filter((result) => !result.endsWith('code'))
    expect(markup(referencePage(saying(text), '', ''))).toEqual(
      markup(referencePage(saying('words'), '', '')),
    )
  },
)

/** A document with this text in every place. */
function saying(text: string): ApiDocument {
  return {
    info: { title: text, version: text, description: text },
    servers: [{ url: text }],
    paths: {
      [text]: {
        get: {
          operationId: text,
          summary: text,
          description: text,
          security: [],
          parameters: [{ name: text, in: 'query', description: text, schema: { const: text } }],
          responses: {},
        },
      },
    },
    webhooks: {
      [text]: {
        post: {
          parameters: [{ name: text, in: 'header', description: text, schema: { const: text } }],
          responses: { [text]: { description: text } },
        },
      },
    },
    components: { schemas: { [text]: { properties: { [text]: { pattern: text } } } } },
  }
}
