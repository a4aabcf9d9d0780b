import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { launchChromium } from '../../support/launchChromium.ts'
import { startProcess, type TestProcess } from '../../support/startProcess.ts'
import { run } from './support/run.ts'
import { payIntent, price } from './support/serviceRequests.ts'

const folder = join(inject('projects'), 'next')
const next = join(folder, 'node_modules/next/dist/bin/next')
const service = inject('service')
// The build loads the route handler, whose client has no key yet.
const built = { NEXT_TELEMETRY_DISABLED: '1' }
const env = {
  ...built,
  PAYMENT_INTENTS_API_KEY: service.apiKey,
  PAYMENT_INTENTS_BASE_URL: service.url,
}

let browser: Browser
let app: TestProcess
let url: string

beforeAll(async () => {
  ;[browser] = await Promise.all([
    launchChromium(),
    run(process.execPath, [next, 'build'], { cwd: folder, env: built }),
  ])
  app = startProcess(next, {
    args: ['start', '--port', '0', '--hostname', '127.0.0.1'],
    cwd: folder,
    env,
  })
  const [, local = ''] = await app.prints(/Local:\s+(\S+)[\s\S]*Ready/)
  url = local
})

afterAll(async () => {
  await browser?.close()
  await app?.end('SIGTERM')
})

test('a route handler creates the payment, and a client component takes it', async () => {
  const page = await browser.newPage()
  await page.goto(url)
  const responding = page.waitForResponse('**/api/checkout')
  await page.getByRole('button', { name: 'Pay with USDC' }).click()
  const { client_secret } = await (await responding).json()
  await page.getByRole('heading', { name: price }).waitFor()
  await payIntent(client_secret.split('_secret_', 1)[0])
  await page.locator('button', { hasText: 'succeeded' }).waitFor()
})

test('a client component that imports the backend’s client fails with a clear error', async () => {
  const page = await browser.newPage()
  const failed = page.waitForEvent('pageerror')
  await page.goto(`${url}/leak`)
  expect((await failed).message).toContain('Import it from your backend only')
})

test('no page contains the key', async () => {
  const files = globSync('.next/static/**/*.js', { cwd: folder })
  expect(files.length).toBeGreaterThan(2)
  const scripts = files.map((file) => readFileSync(join(folder, file), 'utf8'))
  for (const text of [await (await fetch(url)).text(), ...scripts]) {
    expect(text).not.toContain(service.apiKey)
  }
})
