import { expect, test } from 'vitest'
import { isFull } from '../../../../tests/support/tier.ts'
import { holdClock } from '../support/holdClock.ts'
import { received, setResponse } from '../support/origins.ts'
import {
  close,
  context,
  open,
  openShop,
  page,
  type ShopWindow,
  screenOf,
} from '../support/shopPage.ts'
import { intent, txHash } from '../support/testIntents.ts'

type Violation = { directive: string; blocked: string }

/** Collects policy violations in the page, and from the browser's reports. */
async function listen() {
  await page.evaluate(() => {
    const violations: Violation[] = []
    Object.assign(window, { violations })
    document.addEventListener('securitypolicyviolation', (event) => {
      violations.push({ directive: event.effectiveDirective, blocked: event.blockedURI })
    })
  })
}

/**
 * Expects no violation so far: a deliberate violation is the first, in the page and in the reports, which also proves
 * that violations are detected.
 */
async function expectNoComplaint() {
  await page.evaluate(() => {
    new Image().src = '/forbidden.png'
  })
  const violations = () =>
    page.evaluate(() => (window as unknown as { violations: Violation[] }).violations)
  const planted = [{ directive: 'img-src', blocked: expect.stringMatching(/forbidden\.png$/) }]
  await expect.poll(violations).toEqual(planted)
  await expect.poll(() => received.reports.length).toBeGreaterThan(0)
  const reported = received.reports.map(({ body }) => JSON.parse(body)['csp-report']['blocked-uri'])
  expect(reported).toEqual([planted[0]?.blocked])
}

const icons = {
  http: 'http://127.0.0.1:9/icon.png',
  https: 'https://icons.example/icon.svg',
  svg: `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" onload="parent.hit = 1"><script>parent.hit = 1</script><image href="https://icons.example/x.png"/></svg>')}`,
  png: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  html: 'data:text/html,<script>parent.hit = 1</script>',
  script: 'javascript:window.hit = 1',
  relative: '/icon.png',
}

/** Adds wallets with every kind of icon, from the page and announced. */
function addWallets() {
  return page.evaluate((icons) => {
    const provider = {
      request: async ({ method }: { method: string }) => {
        if (method === 'eth_requestAccounts') throw { code: 4001 }
        throw { code: 4200 }
      },
    }
    const wallets = Object.entries(icons).map(([name, icon]) => ({ name, icon, provider }))
    window.addEventListener('eip6963:requestProvider', () => {
      for (const [name, icon] of Object.entries(icons)) {
        const info = { uuid: name, name: `announced ${name}`, icon }
        window.dispatchEvent(
          new CustomEvent('eip6963:announceProvider', { detail: { info, provider } }),
        )
      }
    })
    ;(window as unknown as ShopWindow).openServiceModal({ clientSecret: 'pi_a_secret_a', wallets })
  }, icons)
}

test.each(['import', 'script'] as const)(
  'only data images are shown as wallet icons, without a request or a violation of the policy: by %s',
  async (by) => {
    await openShop({ by })
    await listen()
    setResponse(() => intent())
    await addWallets()
    await page.getByRole('button', { name: 'announced relative' }).waitFor()
    const images = page.locator('img')
    // The SVG and the PNG, from the page and announced.
    await expect.poll(() => images.count()).toBe(4)
    const drawn = () =>
      images.evaluateAll((all) =>
        all.every((image) => (image as HTMLImageElement).naturalWidth > 0),
      )
    await expect.poll(drawn).toBe(true)
    expect(await page.evaluate(() => 'hit' in window)).toBe(false)
    await expectNoComplaint()
    expect(received.shop.map(({ url }) => url)).not.toContain('/icon.png')
  },
)

test.each([
  ['import', 'de'] as const,
  ['script', 'ar'] as const,
  ...(isFull ? [['script', 'de'] as const] : []),
])('no screen violates the policy: by %s in %s', async (by, locale) => {
  await openShop({ by, motion: 'no-preference' })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await listen()
  await holdClock(page)
  setResponse(() => intent())
  await page.evaluate((locale) => {
    const request = async () => {
      throw { code: 4001 }
    }
    ;(window as unknown as ShopWindow).openServiceModal({
      clientSecret: 'pi_a_secret_a',
      locale,
      wallets: [{ name: 'Own', provider: { request } }],
    })
  }, locale)
  await page.locator('[part=wallet]').click()
  await screenOf('problem').waitFor()
  await page.locator('.status button').last().click()
  await page.locator('#method-qr').click()
  await page.locator('.fields button').first().click()
  await page.locator('.fields button.copied').waitFor()
  await page.clock.resume()
  await page.locator('.choice input').last().check({ force: true })
  const tx_hash = txHash
  setResponse(() => intent({ status: 'pending_confirmations', tx_hash, version: 2 }))
  await screenOf('confirming').waitFor()
  await page.keyboard.press('Escape')
  await screenOf('leaving').waitFor()
  setResponse(() => intent({ status: 'succeeded', tx_hash, version: 3 }))
  await screenOf('paid').waitFor()
  await page.locator('.status button').last().click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  for (const status of ['expired', 'canceled'] as const) {
    setResponse(() => intent({ status }))
    await open(`pi_${status}_secret_0`)
    await screenOf(status).waitFor()
    await close(`pi_${status}_secret_0`)
  }
  setResponse(() => 404)
  await open('pi_none_secret_0')
  await screenOf('not_found').waitFor()
  await close('pi_none_secret_0')
  await expectNoComplaint()
})

test('a browser without constructed sheets gets styles with the nonce, which closing removes', async () => {
  await openShop({
    by: 'script',
    policy: "; style-src 'nonce-r4nd0m'",
    before: () => Reflect.deleteProperty(window, 'CSSStyleSheet'),
  })
  await listen()
  const traces = () => page.evaluate(() => (window as unknown as ShopWindow).probe.traces())
  const before = await traces()
  setResponse(() => intent())
  await open('pi_a_secret_a', { nonce: 'r4nd0m' })
  await screenOf('pay').waitFor()
  // An unstyled dialog has a border.
  const styled = await page.evaluate(() => {
    const dialog = document.body.lastElementChild?.shadowRoot?.querySelector('dialog')
    return {
      border: dialog && getComputedStyle(dialog).borderTopWidth,
      scroll: getComputedStyle(document.documentElement).overflow,
    }
  })
  expect(styled).toEqual({ border: '0px', scroll: 'hidden' })
  await close('pi_a_secret_a')
  expect(await traces()).toEqual(before)
  await expectNoComplaint()
})

test('the checkout works under a policy that requires trusted types', async () => {
  await openShop({ by: 'script', policy: "; require-trusted-types-for 'script'" })
  await listen()
  setResponse(() => intent({ lane: 'manual' }))
  await open('pi_a_secret_a')
  await page.locator('.qr svg').waitFor()
  await close('pi_a_secret_a')
  await expectNoComplaint()
})
