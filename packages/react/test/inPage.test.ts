// @vitest-environment node
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { launchChromium } from '../../../tests/support/launchChromium.ts'
import { intent, txHash } from '../../browser/test/support/testIntents.ts'
import type { ShopPage } from './shopPage.tsx'
import { startShop } from './shopServer.ts'

type Browser = Awaited<ReturnType<typeof launchChromium>>
type Page = Awaited<ReturnType<Browser['newPage']>>
type ShopWindow = { page: ShopPage }

const firstIntent = { name: 'one', clientSecret: 'pi_one_secret_1' }
const two = { name: 'two', clientSecret: 'pi_two_secret_2' }
const pending = intent({ status: 'pending_confirmations', tx_hash: txHash, version: 2 })
const paid = intent({ status: 'succeeded', tx_hash: txHash, version: 3 })

let browser: Browser
let page: Page
let complaints: string[]

beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser?.close())

describe.each(['18', '19'] as const)('React %s, under StrictMode in a browser', (react) => {
  let shop: Awaited<ReturnType<typeof startShop>>

  beforeAll(async () => {
    shop = await startShop(react)
    page = await browser.newPage({ reducedMotion: 'reduce' })
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    })
    page.on('pageerror', ({ message }) => complaints.push(message))
  })
  afterAll(async () => {
    await page?.close()
    await shop?.close()
  })

  beforeEach(async () => {
    shop.setIntent(intent())
    complaints = []
    await page.goto(shop.url)
    await page.evaluate(() => localStorage.clear())
    await page.waitForFunction(() => 'page' in window)
  })
  afterEach(async () => {
    shop.letModalGo()
    await page.goto('about:blank')
    // React warns here about updates after unmounting, effect loops and missing keys.
    expect(complaints).toEqual([])
  })

  const callbackCalls = () =>
    page.evaluate(() => (window as unknown as ShopWindow).page.callbackCalls)
  const state = (name: string) => page.locator(`#${name}`).textContent()
  const dialogs = () => page.locator('dialog').count()
  const onScreen = (name: string) => page.locator(`[data-screen=${name}]`).waitFor()
  const show = (...parts: Parameters<ShopPage['show']>[0]) =>
    page.evaluate((parts) => (window as unknown as ShopWindow).page.show(parts), parts)
  /** Presses a button several times in one task; a payer's second press would hit the modal. */
  const press = (name: string, times = 1) =>
    page.locator(`#${name}`).evaluate((button, times) => {
      for (let press = 0; press < times; press += 1) (button as HTMLElement).click()
    }, times)

  test('several presses open one modal, with one set of callbacks', async () => {
    await show(firstIntent)
    await press('one', 3)
    await onScreen('pay')
    await press('one', 2)
    expect(await dialogs()).toBe(1)
    expect(await state('one')).toBe('open open')
    shop.setIntent(pending)
    await onScreen('confirming')
    await expect.poll(() => state('one')).toBe('open pending')
    shop.setIntent(paid)
    await onScreen('paid')
    await expect.poll(() => state('one')).toBe('open succeeded')
    await page.keyboard.press('Escape')
    await expect.poll(() => state('one')).toBe('closed succeeded')
    expect(await callbackCalls()).toEqual(['one pending 0', 'one success 0', 'one close 0'])
  })

  test('opening on mount shows one modal, which works', async () => {
    await show({ ...firstIntent, onMount: true })
    await onScreen('pay')
    expect(await dialogs()).toBe(1)
    await expect.poll(() => state('one')).toBe('open open')
    shop.setIntent(paid)
    await onScreen('paid')
    await page.keyboard.press('Escape')
    await expect.poll(() => state('one')).toBe('closed succeeded')
    // StrictMode's simulated unmount does not close it.
    expect(await callbackCalls()).toEqual(['one success 0', 'one close 0'])
  })

  test('unmounting while the modal loads removes the shell, and the modal never shows', async () => {
    shop.holdModal()
    await show(firstIntent)
    const modalRequest = page.waitForRequest(/modal/)
    await press('one')
    await modalRequest
    await show()
    await expect.poll(callbackCalls).toEqual(['one close 0'])
    const modalResponse = page.waitForResponse(/modal/)
    shop.letModalGo()
    await modalResponse
    // The next checkout needs the same file: when it shows the payment, the first would have.
    await show(two)
    await press('two')
    await onScreen('pay')
    expect(await dialogs()).toBe(1)
    expect(await callbackCalls()).toEqual(['one close 0'])
  })

  test('pointing at the button loads the modal, and the click shows the shell', async () => {
    const before = shop.requestCount()
    await show(firstIntent)
    const loaded = page.waitForResponse(/modal/)
    await page.locator('#one').hover()
    expect((await loaded).ok()).toBe(true)
    expect(await dialogs()).toBe(0)
    expect(shop.requestCount()).toBe(before)
    await press('one')
    expect(await dialogs()).toBe(1)
    await onScreen('pay')
  })

  test('unmounting during a wallet request removes the modal, and the wallet gets no more requests', async () => {
    await show(firstIntent)
    await press('one')
    await page.getByRole('button', { name: 'Own' }).click()
    await onScreen('wallet')
    await show()
    await expect.poll(dialogs).toBe(0)
    const methods = await page.evaluate(async () => {
      const { walletMethods: methods, approveWallet } = (window as unknown as ShopWindow).page
      approveWallet()
      for (let task = 0; task < 10; task += 1) await new Promise((resolve) => setTimeout(resolve))
      return methods
    })
    expect(methods).toEqual(['eth_requestAccounts'])
    expect(await callbackCalls()).toEqual(['one close 0'])
  })

  test('unmounting while confirming ends all callbacks', async () => {
    shop.setIntent(pending)
    await show(firstIntent)
    await press('one')
    await onScreen('confirming')
    await show()
    await expect.poll(dialogs).toBe(0)
    shop.setIntent(paid)
    await show(two)
    await press('two')
    await onScreen('paid')
    expect((await callbackCalls()).filter((line) => line.startsWith('one'))).toEqual([
      'one pending 0',
      'one close 0',
    ])
  })

  test('the later of two components has the modal, and each has its own state', async () => {
    await show(firstIntent, two)
    await press('one')
    await onScreen('pay')
    await press('two')
    await expect.poll(() => state('two')).toBe('open open')
    await expect.poll(() => state('one')).toBe('closed idle')
    await onScreen('pay')
    expect(await dialogs()).toBe(1)
    await show(two)
    expect(await dialogs()).toBe(1)
    shop.setIntent(paid)
    await onScreen('paid')
    await show()
    await expect.poll(dialogs).toBe(0)
    expect(await callbackCalls()).toEqual(['one close 0', 'two success 0', 'two close 0'])
  })

  test('two components of the same payment share the modal, which closes for both', async () => {
    const twin = { ...two, clientSecret: firstIntent.clientSecret }
    await show(firstIntent, twin)
    await press('one')
    await onScreen('pay')
    await press('two')
    await expect.poll(() => state('two')).toBe('open open')
    expect(await dialogs()).toBe(1)
    await page.keyboard.press('Escape')
    await expect.poll(() => state('one')).toBe('closed idle')
    await expect.poll(() => state('two')).toBe('closed idle')
    expect(await callbackCalls()).toEqual(['one close 0'])
  })

  test('the latest callbacks are called through 200 renders, some of them transitions', async () => {
    await show(firstIntent)
    await press('one')
    await onScreen('pay')
    const rerender = (count: number) =>
      page.evaluate(async (count) => {
        const { page } = window as unknown as ShopWindow
        for (let render = 0; render < count; render += 1) {
          page.rerender(render % 3 === 0)
          if (render % 10 === 0) await new Promise(requestAnimationFrame)
        }
        await new Promise(requestAnimationFrame)
      }, count)
    await rerender(100)
    shop.setIntent(pending)
    await expect.poll(async () => (await callbackCalls()).length).toBe(1)
    await rerender(100)
    shop.setIntent(paid)
    await onScreen('paid')
    await page.keyboard.press('Escape')
    await expect
      .poll(callbackCalls)
      .toEqual(['one pending 100', 'one success 200', 'one close 200'])
    const handles = await page.evaluate(() => {
      const { handles } = (window as unknown as ShopWindow).page
      return handles.one?.size
    })
    // One `open` and one `close`, plus those of the render that StrictMode throws away.
    expect(handles).toBeLessThanOrEqual(4)
  })

  test('a suspended component keeps its checkout and resumes with it', async () => {
    await show(firstIntent)
    await press('one')
    await onScreen('pay')
    await page.evaluate(() => {
      const { page } = window as unknown as ShopWindow
      Object.assign(window, { end: page.suspend() })
    })
    await page.locator('#fallback').waitFor()
    expect(await dialogs()).toBe(1)
    shop.setIntent(paid)
    await onScreen('paid')
    await page.evaluate(() => (window as unknown as { end: () => void }).end())
    await page.locator('#fallback').waitFor({ state: 'detached' })
    await expect.poll(() => state('one')).toBe('open succeeded')
    await page.keyboard.press('Escape')
    await expect.poll(() => state('one')).toBe('closed succeeded')
    expect(await callbackCalls()).toEqual(['one success 0', 'one close 0'])
  })

  test.runIf(react === '19')('a component that is hidden closes its checkout', async () => {
    await show(firstIntent)
    await press('one')
    await onScreen('pay')
    await page.evaluate(() => (window as unknown as ShopWindow).page.hide())
    await expect.poll(dialogs).toBe(0)
    expect(await callbackCalls()).toEqual(['one close 0'])
  })
})
