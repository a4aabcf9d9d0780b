import { expect, test } from 'vitest'
import { freePort } from '../../../packages/testing/src/devChain/freePort.ts'
import { launchChromium } from '../../../tests/support/launchChromium.ts'
import { until } from '../../../tests/support/until.ts'
import { invite } from '../../server/src/account/peopleEndpoints.ts'
import { fillLists, intentAt } from '../../server/test/support/database/fillLists.ts'
import { createTestMerchant, startTestServer } from '../../server/test/support/server/testServer.ts'

const count = 1_000_000
/** The number of pages to scroll through. */
const pages = 20

test('a list of a million payments renders visible rows only, and finds a payment', async () => {
  const url = `http://localhost:${await freePort()}`
  const server = await startTestServer({ dashboard: { url, now: Date.now } })
  const merchant = await createTestMerchant(server.db)
  await fillLists(server.db, merchant.id, count)
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    const terms = { merchantId: merchant.id, name: 'Ada', email: null, role: 'owner' } as const
    const context = { dashboardUrl: url, now: Date.now }
    await page.goto((await invite(server.db.pool, context, terms)).url)
    await page.getByRole('heading', { level: 1 }).waitFor()
    let read = 0
    page.on('response', (response) => {
      if (response.url().includes('/v1/payment_intents?')) read += 1
    })
    await page.goto(`${url}/payments`)
    await page.locator('tbody tr a').first().waitFor()
    while (read < pages) {
      await page.mouse.wheel(0, 2_000)
      expect(await page.locator('tbody tr').count()).toBeLessThan(80)
    }
    await page.evaluate(() => scrollTo(0, 0))
    const { id } = intentAt(count / 2, count)
    await until(async () => {
      await page.getByRole('searchbox').fill(id)
      expect(await page.getByRole('searchbox').inputValue()).toBe(id)
    })
    await page.keyboard.press('Enter')
    await page.waitForURL(`${url}/payments/${id}`)
    await page.getByRole('heading', { name: 'What happened' }).waitFor()
  } finally {
    await browser.close()
    await server.close()
  }
})
