import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { launchChromium } from '../../support/launchChromium.ts'
import type { Listening } from '../../support/listenLocally.ts'
import { compile } from './support/compile.ts'
import { run } from './support/run.ts'
import { servePages } from './support/servePages.ts'
import { createIntent, payIntent, price } from './support/serviceRequests.ts'

const folder = join(inject('projects'), 'page')

let browser: Browser
let pages: Listening

beforeAll(async () => {
  const vite = [join(folder, 'node_modules/vite/bin/vite.js'), 'build']
  ;[browser] = await Promise.all([launchChromium(), run(process.execPath, vite, { cwd: folder })])
  pages = await servePages(join(folder, 'dist'))
})

afterAll(async () => {
  await browser?.close()
  pages?.close()
})

async function openPage(file: string, clientSecret: string): Promise<Page> {
  const page = await browser.newPage()
  const params = new URLSearchParams({
    client_secret: clientSecret,
    service: inject('service').url,
  })
  await page.goto(`${pages.url}/${file}#${params}`)
  return page
}

test('what a page imports type-checks with the strictest settings', async () => {
  await compile(folder, '-p', '.')
})

test('the hook begins with "use client", for frameworks that also render on the server', async () => {
  const dist = join(folder, 'node_modules/@payment-intents/react/dist')
  const entries = ['index.js', 'index.cjs'].map((file) => readFile(join(dist, file), 'utf8'))
  for (const entry of await Promise.all(entries)) expect(entry).toMatch(/^["']use client["'];/)
})

test('a page built by Vite takes a payment with the hook', async () => {
  const { id, client_secret } = await createIntent()
  const page = await openPage('hook.html', client_secret)
  await page.getByRole('button', { name: 'Pay with USDC' }).click()
  await page.getByRole('heading', { name: price }).waitFor()
  await payIntent(id)
  await page.locator('main button', { hasText: 'succeeded' }).waitFor()
})

test('and opens and closes the checkout with the function', async () => {
  const page = await openPage('function.html', (await createIntent()).client_secret)
  const button = page.locator('body > button')
  await button.click()
  await page.getByRole('heading', { name: price }).waitFor()
  expect(await button.textContent()).toBe('open')
  await page.keyboard.press('Escape')
  await page.locator('body > button', { hasText: 'closed' }).waitFor()
})

test('a page built with the backend’s client fails with a clear error', async () => {
  const page = await browser.newPage()
  const failed = page.waitForEvent('pageerror')
  await page.goto(`${pages.url}/leak.html`)
  const { message } = await failed
  expect(message).toContain('Import it from your backend only')
  expect(message).toContain('openServiceModal')
  expect(await page.title()).toBe('Kiosk')
})
