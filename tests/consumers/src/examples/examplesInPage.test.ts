import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { launchChromium } from '../../../support/launchChromium.ts'
import type { Listening } from '../../../support/listenLocally.ts'
import { examplesOf, filledIn, isForPage } from '../support/examples.ts'
import { run } from '../support/run.ts'
import { servePages } from '../support/servePages.ts'
import {
  createIntent,
  createLink,
  type Intent,
  payIntent,
  paymentOf,
  price,
} from '../support/serviceRequests.ts'

const folder = join(inject('projects'), 'examples')
const examples = examplesOf('README.md', 'packages/*/README.md', 'docs/quickstart.md').filter(
  isForPage,
)
const [scripts, modules] = [
  examples.filter(({ language }) => language === 'html'),
  examples.filter(({ language }) => language !== 'html'),
]

let browser: Browser
/** A context for all pages: each page would start more processes in its own. */
let context: BrowserContext
let shop: Listening
/** The intent that the page receives, or requests from its shop. */
let intent: Intent
/** The payment link that payers open. */
let link: string

beforeAll(async () => {
  intent = await createIntent()
  link = await createLink()
  await mkdir(join(folder, 'pages'))
  await Promise.all(
    modules.map(async (example) => {
      const { name, language } = example
      const path = join(folder, 'pages', name)
      const entry = `import { show } from '../show.js'\nimport * as example from './${name}'\nshow(example)`
      await writeFile(`${path}.${language}`, filledIn(example, intent, link))
      await writeFile(
        `${path}.html`,
        `<!doctype html><body><script type="module">${entry}</script></body>`,
      )
    }),
  )
  const vite = [join(folder, 'node_modules/vite/bin/vite.js'), 'build']
  ;[browser] = await Promise.all([launchChromium(), run(process.execPath, vite, { cwd: folder })])
  context = await browser.newContext()
  const devWallet = 'node_modules/@payment-intents/testing/dist/dev-wallet.js'
  await cp(join(folder, devWallet), join(folder, 'dist/dev-wallet.js'))
  const create = async () => {
    intent = await createIntent()
    return { client_secret: intent.client_secret }
  }
  shop = await servePages(join(folder, 'dist'), {
    '/checkout': create,
    '/api/checkout': create,
    ...Object.fromEntries(
      scripts.map((example) => [
        `/pages/${example.name}.html`,
        async () => `<!doctype html><title>Kiosk</title><body>${filledIn(example, intent, link)}`,
      ]),
    ),
  })
})

afterAll(async () => {
  await browser?.close()
  shop?.close()
})

/** Name of the wallet that a page announces by EIP-6963. */
function announcedWallet(page: Page): Promise<string> {
  return page.evaluate(() => {
    return new Promise((resolve) => {
      addEventListener('eip6963:announceProvider', (event) => {
        resolve((event as CustomEvent<{ info: { name: string } }>).detail.info.name)
      })
      dispatchEvent(new Event('eip6963:requestProvider'))
    })
  })
}

test.each(examples)('$name works in a page', async ({ name, code }) => {
  intent = await createIntent()
  const page = await context.newPage()
  const faults: Error[] = []
  page.on('pageerror', (error) => faults.push(error))
  const params = new URLSearchParams({ clientSecret: intent.client_secret, orderId: '1042' })
  await page.goto(`${shop.url}/pages/${name}.html#${params}`)
  if (/@payment-intents\/testing\/wallet|dev-wallet\.js/.test(code)) {
    expect(await announcedWallet(page)).toContain('Wallet')
  } else {
    await page.getByRole('button', { name: /^(Pay|Donate)/ }).click()
    const isOfLink = /payment-?link/i.test(code)
    if (isOfLink) await page.getByRole('button', { name: /^Pay 25\.00/ }).click()
    await page.getByRole('heading', { name: price }).waitFor()
    await page.locator('[data-screen=pay]').waitFor()
    await payIntent(isOfLink ? await paymentOf(link) : intent.id)
    if (isOfLink) await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
    else await page.waitForURL(/\/thanks/)
  }
  expect(faults).toEqual([])
  await page.close()
})
