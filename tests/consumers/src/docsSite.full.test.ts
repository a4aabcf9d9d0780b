import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { default as Axe } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { launchChromium } from '../../support/launchChromium.ts'
import { startProcess, type TestProcess } from '../../support/startProcess.ts'
import { createDatabase } from './support/createDatabase.ts'
import { run } from './support/run.ts'

let folder: string
let server: TestProcess
let url: string
let browser: Browser
let axe: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'payment-intents-docs-site-'))
  await writeFile(join(folder, '.npmrc'), `@payment-intents:registry=${inject('registry')}\n`)
  await writeFile(join(folder, 'package.json'), '{}')
  const install = ['install', '@payment-intents/server@latest', '--omit=optional']
  await run('npm', [...install, '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder })
  server = startProcess(join(folder, 'node_modules/@payment-intents/server/dist/server.js'), {
    cwd: folder,
    env: {
      PORT: '0',
      DATABASE_URL: await createDatabase(),
      SERVER_SECRET: randomBytes(32).toString('hex'),
      // It needs a chain to start, and none to serve pages.
      RPC_URL_BASE_TESTNET: 'http://localhost:9',
      DEVELOPMENT_CHAIN: 'true',
    },
  })
  ;[, url = ''] = await server.prints(/listening at (http:[^"]+)/)
  browser = await launchChromium()
  axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
})

afterAll(async () => {
  await browser?.close()
  await server?.end('SIGTERM')
  if (folder) await rm(folder, { recursive: true })
})

/** A page of the documentation, and all that its browser complains of, violations of the policy too. */
async function open(path: string, colorScheme: 'light' | 'dark') {
  const context = await browser.newContext({ colorScheme })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', ({ message }) => complaints.push(message))
  await page.goto(`${url}/docs/${path}`, { waitUntil: 'networkidle' })
  return { page, complaints }
}

function faultsOf(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof Axe }
    const { violations } = await axe.run()
    return violations.map(({ id, nodes }) => {
      const [first] = nodes
      return `${id}: ${first?.target}, and ${nodes.length - 1} more`
    })
  })
}

const pages = [
  ['', 'Documentation'],
  ['quickstart', 'Quickstart'],
  ['webhooks', 'Webhooks'],
  ['api', 'API'],
  ['packages/node', '@payment-intents/node'],
] as const

test.each(
  pages.flatMap(([path, title]) => [
    { path, title, scheme: 'light' as const },
    { path, title, scheme: 'dark' as const },
  ]),
)('/docs/$path in $scheme is readable for everyone', async ({ path, title, scheme }) => {
  const { page, complaints } = await open(path, scheme)
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain(title)
  expect(await page.evaluate(() => document.documentElement.classList.contains('dark'))).toBe(
    scheme === 'dark',
  )
  await page.evaluate(axe)
  expect(await faultsOf(page)).toEqual([])
  expect(complaints).toEqual([])
})

test('the search finds "webhook", and leads to the guide', async () => {
  const { page, complaints } = await open('', 'light')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.locator('#localsearch-input').fill('webhook')
  const guide = page.locator('a.result[href="/docs/webhooks#webhooks"]')
  await guide.click()
  await page.waitForURL(/\/docs\/webhooks#/)
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  expect(complaints).toEqual([])
})

test('every page is reached from the sidebar, without loading the site anew', async () => {
  const { page, complaints } = await open('', 'dark')
  const links = page.locator('.VPSidebar a')
  const targets = await links.evaluateAll((anchors) =>
    anchors.map((link) => link.getAttribute('href')),
  )
  expect(targets.length).toBeGreaterThan(50)
  await page.evaluate(() => Object.assign(globalThis, { sameDocument: true }))
  await page.locator('.VPSidebar').getByRole('link', { name: 'Refund a payment' }).click()
  await page.getByRole('heading', { name: 'Refunds', level: 1 }).waitFor()
  expect(await page.evaluate(() => 'sameDocument' in globalThis)).toBe(true)
  for (const target of targets) expect((await fetch(new URL(`${target}`, url))).status).toBe(200)
  expect(complaints).toEqual([])
})

test('what an operator needs can be loaded, and a page that is not there says so', async () => {
  const { page } = await open('deploy', 'light')
  const link = page.getByRole('link', { name: 'deploy/compose.yaml' })
  const compose = await fetch(new URL((await link.getAttribute('href')) ?? '', page.url()))
  expect(await compose.text()).toContain('services:')
  expect((await fetch(`${url}/docs/gone`)).status).toBe(404)
})
