import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, inject } from 'vitest'
import { holdMessages } from '../../../packages/browser/test/support/delayMessages.ts'
import { launchChromium } from '../../../tests/support/launchChromium.ts'
import type {} from '../../../tests/support/startPostgres.ts'
import { type Stack, startStack } from './startStack.ts'

/** The stack of the test file that imports this. */
export let stack: Stack
export let browser: Browser
/** Violations of a page's content security policy or script integrity. */
export const refused: string[] = []
/** Unused pages: a new page would cost each test as much as its payment. */
const resting: Page[] = []

beforeAll(async () => {
  browser = await launchChromium()
  stack = await startStack({ clusterUrl: inject('clusterUrl'), polygon: true })
})

afterAll(async () => {
  await browser?.close()
  await stack?.stop()
})

/** A page of the shop, to be returned by `rest`. */
export async function openPage(path: string): Promise<Page> {
  const page = resting.pop() ?? (await newPage())
  await page.goto(stack.shopUrl + path)
  return page
}

/** Leaves the page to the next test. */
export async function rest(page: Page): Promise<void> {
  // The next test finds no order.
  await page.evaluate(() => sessionStorage.clear())
  await page.goto('about:blank')
  resting.push(page)
}

async function newPage(): Promise<Page> {
  const page = await browser.newPage({ permissions: ['clipboard-read', 'clipboard-write'] })
  page.on('console', (message) => {
    if (/content security policy|integrity/i.test(message.text())) refused.push(message.text())
  })
  await page.addInitScript(holdMessages)
  return page
}
