import { beforeEach, describe, expect, test } from 'vitest'
import { messages as german } from '../../src/locales/de.ts'
import { enManual } from '../../src/locales/enManual.ts'
import { messages as spanish } from '../../src/locales/es.ts'
import { newcomerMessages } from '../../src/locales/newcomerMessages.ts'
import { axeFaults } from '../support/axe.ts'
import { apiOrigin, received, setResponse } from '../support/origins.ts'
import {
  close,
  complaints,
  giveUpOnMessages,
  open,
  openShop,
  page,
  screenOf,
} from '../support/shopPage.ts'
import { intent, txHash } from '../support/testIntents.ts'

const secret = 'pi_test_0001_secret_abc'
const summary = () => page.getByText(newcomerMessages['get.title'])
const dialog = () => page.locator('dialog')
/** Runs in the page. */
const haveWallet = () =>
  Object.assign(window, { ethereum: { request: () => new Promise(() => {}) } })

beforeEach(() => openShop({ probed: false }))

describe('a payer without USDC', () => {
  test('learns the amount, the token and three ways to get it, and pays the same order', async () => {
    await open(secret)
    await summary().click()
    const help = page.locator('.get')
    expect(await help.textContent()).toContain('You need 25.0001\u00a0USDC on Base Sepolia.')
    expect(await help.locator('li').count()).toBe(3)
    expect(await help.textContent()).toMatch(/stays open until \d+:\d\d:\d\d/)
    expect(await axeFaults(page)).toEqual([])
    // Each opens beside the payment, and learns nothing of it.
    for (const link of await help.getByRole('link').all()) {
      expect(await link.getAttribute('target')).toBe('_blank')
      expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
      expect(await link.getAttribute('href')).toMatch(/^https:\/\/ethereum\.org\//)
    }
    setResponse(() => intent({ status: 'succeeded', tx_hash: txHash, version: 2 }))
    await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
    expect(complaints).toEqual([])
  })

  test('is sent to the merchant’s page if there is a page', async () => {
    const guide = 'https://kiosk.example/usdc?a="<b>'
    setResponse(() => intent({ guide }))
    await open(secret)
    const link = page.getByRole('link', { name: newcomerMessages['get.title'] })
    expect(await link.getAttribute('href')).toBe(guide)
    expect(await page.locator('.get').count()).toBe(0)
  })

  test.each(['none', 'javascript:alert(1)'])(
    'sees no help if the merchant hides it, or its page is not an https URL: %s',
    async (guide) => {
      setResponse(() => intent({ guide }))
      await open(secret)
      await page.getByText('Base Sepolia').first().waitFor()
      await page.getByRole('img', { name: /QR code/ }).waitFor()
      expect(await summary().count()).toBe(0)
    },
  )
})

describe('the script', () => {
  const english = '**/v1/locales/en.json'
  const messageRequests = () => received.api.filter(({ url }) => url.endsWith('/en.json')).length
  const manualIntent = () => intent({ lane: 'manual' })

  test('loads the English messages that it lacks when they are shown', async () => {
    setResponse(manualIntent)
    await openShop({ by: 'script', probed: false })
    await open(secret)
    await page.getByText(enManual['qr.request.hint'] ?? '').waitFor()
    await summary().waitFor()
    expect(messageRequests()).toBe(1)
  })

  test('loads no more messages for a payer with a wallet', async () => {
    await openShop({ by: 'script', probed: false, before: haveWallet })
    await open(secret)
    await page.getByRole('button', { name: /^Pay 25/ }).waitFor()
    expect(messageRequests()).toBe(0)
  })

  test.each(['missing', 'cut', 'silent'])(
    'shows the amount and the address without these messages: %s',
    async (how) => {
      setResponse(manualIntent)
      await openShop({ by: 'script', probed: false })
      await page.route(english, (route) => {
        if (how === 'missing') return route.fulfill({ status: 404 })
        return how === 'cut' ? route.abort() : undefined
      })
      const request = page.waitForRequest(english)
      await open(secret)
      await request
      if (how === 'silent') await giveUpOnMessages()
      await page.locator('.qr path').waitFor()
      const panel = page.locator('.panel')
      expect(await panel.locator('.note').textContent()).toContain(
        '25.0001\u00a0USDC on Base Sepolia',
      )
      expect(await panel.locator('dt').allTextContents()).toEqual(['Amount', 'Address'])
      const { expected_wallet } = intent()
      expect(await panel.locator('dd bdi').allTextContents()).toEqual([
        '25.0001 USDC',
        expected_wallet,
      ])
      expect(await panel.locator('dd').getByRole('button', { name: /^Copy/ }).count()).toBe(2)
      expect(await page.locator('.get').count()).toBe(0)
      setResponse(() => intent({ status: 'succeeded', tx_hash: txHash, version: 2 }))
      await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
    },
  )
})

describe('the language', () => {
  const choice = () => page.getByRole('combobox')
  const inSpanish = () => page.getByRole('combobox', { name: spanish.language })

  test.each(['import', 'script'] as const)(
    'is loaded when it is chosen, and kept while the page is open: %s',
    async (by) => {
      await openShop({ by, probed: false })
      await open(secret)
      await screenOf('pay').waitFor()
      const names = await choice().locator('option').allTextContents()
      expect(names).toHaveLength(12)
      expect(names).toEqual(expect.arrayContaining(['English', 'Español', 'العربية', '日本語']))
      const files = [...received.shop, ...received.api].filter(({ url }) => /[/]es\b/.test(url))
      expect(files).toEqual([])

      await choice().selectOption('es')
      await inSpanish().waitFor()
      expect(await dialog().evaluate((dialog) => dialog.matches(':lang(es)'))).toBe(true)
      await page.getByText(spanish['get.title']).waitFor()

      await close(secret)
      await open(secret)
      await inSpanish().waitFor()
      expect(await choice().inputValue()).toBe('es')
      await choice().selectOption('ar')
      await page.locator('dialog:dir(rtl)').waitFor()
      await choice().selectOption('en')
      await page.getByRole('combobox', { name: 'Language' }).waitFor()
      expect(await dialog().evaluate((dialog) => dialog.matches(':dir(ltr)'))).toBe(true)
      expect(await page.evaluate(() => ({ ...localStorage, ...sessionStorage }))).toEqual({})
      expect(complaints).toEqual([])
    },
  )

  test('stays the same if the chosen language cannot be loaded', async () => {
    await openShop({ by: 'script', probed: false })
    await page.route(`${apiOrigin}/v1/locales/es.json`, (route) => route.fulfill({ status: 404 }))
    await open(secret, { locale: 'de' })
    await screenOf('pay').waitFor()
    await choice().selectOption('es')
    await expect.poll(() => choice().inputValue()).toBe('de')
    await page.getByRole('combobox', { name: german.language }).waitFor()
  })
})
