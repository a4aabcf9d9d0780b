import { createClient } from '@payment-intents/node'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { holdClock } from '../../../../packages/browser/test/support/holdClock.ts'
import { logoOf } from '../../../../packages/core/src/pictures/logo.ts'
import type { SettingsChange } from '../../../../packages/core/src/settings/store.ts'
import { accessibilityFaults } from '../../../../tests/screens/src/inspect.ts'
import { patientCalls } from '../../../../tests/support/patience.ts'
import { drawLogo } from '../../../../tests/support/pictures/drawLogo.ts'
import { isFull } from '../../../../tests/support/tier.ts'
import { until } from '../../../../tests/support/until.ts'
import { stack } from '../stack.ts'
import {
  follow,
  link,
  openLink,
  openTab,
  screenOf,
  tracePages,
  untilSession,
} from './hostedPageSteps.ts'

type Logo = NonNullable<SettingsChange['logo']>

describe('the hosted page of a shop with a brand', () => {
  tracePages()

  test.runIf(isFull)(
    'shows the server’s drawing until the session brings the brand, for at most a second',
    async () => {
      await brandedLink({ accent: '#0f766e' })
      const page = await openTab()
      await holdClock(page)
      let release = () => {}
      const pending = new Promise<void>((resolve) => {
        release = resolve
      })
      await page.route('**/checkout/session', async (route) => {
        await pending
        await route.continue()
      })
      await page.goto(link)
      await screenOf(page, 'pay').waitFor({ state: 'attached' })
      expect(await screenOf(page, 'pay').isVisible()).toBe(false)
      await page.clock.runFor(3_000)
      await screenOf(page, 'pay').waitFor()
      expect(await accentOf(page)).toBe('')
      // It can be paid without a session; the session, which is late, changes only the brand and the address.
      await page.getByRole('tab', { name: 'QR code' }).click()
      release()
      await untilSession(page)
      await until(async () => expect(await accentOf(page)).toBe('#0f766e'))
      expect(await page.getByRole('tab', { name: 'QR code', selected: true }).count()).toBe(1)
    },
  )

  test.each(['#ffe600', '#0b0b12', '#fafafa'].slice(0, isFull ? 3 : 1))(
    'shows the logo, and is readable in light and dark, with the colour %s',
    async (accent) => {
      await brandedLink({ accent, logo: logoOf(drawLogo()) as Logo })
      const page = await openTab(({ method }) =>
        method === 'eth_sendTransaction' ? 'reject' : 'approve',
      )
      await openLink(page)
      await page.getByRole('tab', { name: 'QR code' }).click()
      await page.getByText('Payment request', { exact: true }).click()
      await page.getByRole('button', { name: 'Copy the amount' }).waitFor()
      await inspect(page)
      const mark = page.locator('.monogram')
      const drawn = () => mark.evaluate((element) => getComputedStyle(element).backgroundImage)
      await until(async () => expect(await drawn()).toMatch(/^url\("[^"]*\/v1\/logos\//))

      await page.getByRole('tab', { name: 'Wallet' }).click()
      await page.getByRole('button', { name: 'Test Wallet' }).click()
      const second = page.getByRole('button', { name: 'Try again' })
      await second.waitFor()
      await inspect(page)
      const color = await second.evaluate((element) => getComputedStyle(element).backgroundColor)
      expect(hexOf(color)).toBe(accent)

      // The server's markup, when the page is opened again.
      await page.route('**/v1/checkout.js', (route) => route.fulfill({ body: '' }))
      await page.reload()
      const logo = page.locator('img.monogram')
      const width = () => logo.evaluate((image) => (image as HTMLImageElement).naturalWidth)
      await until(async () => expect(await width()).toBe(128))
      expect(await page.locator('meta[name=theme-color]').getAttribute('content')).toBe(accent)
      await inspect(page, ['axe has read no text of the dialog'])
    },
  )

  test.runIf(isFull)('shows the initial of the name if the logo cannot be loaded', async () => {
    await brandedLink({ accent: '#0f766e', logo: logoOf(drawLogo()) as Logo })
    const page = await openTab()
    await page.route('**/v1/logos/*', (route) => route.fulfill({ body: 'no picture' }))
    await openLink(page)
    const mark = page.locator('.monogram')
    const [color, image] = await mark.evaluate((element) => {
      const style = getComputedStyle(element)
      return [style.color, style.backgroundImage]
    })
    expect([color, image]).toEqual(['rgb(255, 255, 255)', 'none'])
  })
})

/** The test's payment is to a shop with a brand. */
async function brandedLink(brand: SettingsChange): Promise<void> {
  await stack.branded.set(brand)
  const client = createClient({
    apiKey: stack.branded.apiKey,
    baseUrl: stack.apiUrl,
    ...patientCalls,
  })
  follow((await client.createPaymentIntent({ amount_units: 7_000_000 })).client_secret)
}

/** axe finds no violation, on light and on dark. */
async function inspect(page: Page, faults: string[] = []): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`dialog.${colorScheme}, main`).waitFor()
    expect(await accessibilityFaults(page), colorScheme).toEqual(faults)
  }
}

const accentOf = (page: Page) =>
  page.evaluate(() => document.documentElement.style.getPropertyValue('--payment-intents-accent'))

function hexOf(color: string): string {
  const parts = color.match(/\d+/g) ?? []
  return `#${parts.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`
}
