import { beforeEach, expect, test } from 'vitest'
import {
  addWallet,
  pending,
  pickWallet,
  respondWith,
  secret,
  wallet,
} from '../support/checkoutPage.ts'
import { setResponse as serve } from '../support/origins.ts'
import { open, openShop, page, screenOf } from '../support/shopPage.ts'
import { intent } from '../support/testIntents.ts'

type Watched = { places: string[]; heights: number[][] }
const watched = () =>
  page.evaluate(() => {
    const { places, heights } = window as unknown as Watched
    return { places, heights }
  })

/** Records the heights that anything is animated between. */
function watchHeights() {
  const heights: number[][] = []
  Object.assign(window, { heights })
  const { animate } = Element.prototype
  Element.prototype.animate = function (frames, options) {
    const between = [frames].flat().flatMap((frame) => Number.parseFloat(`${frame?.height}`) || [])
    if (between.length > 0) heights.push(between)
    return animate.call(this, frames, options)
  }
}

/**
 * Records each place that the shop's mark, its name and the closing cross have in the sheet, frame by frame. Chromium
 * reports no layout shift for a modal dialog.
 */
function watchPlaces(sheet: Element) {
  const places: string[] = []
  Object.assign(window, { places })
  const origin = () => sheet.getBoundingClientRect()
  const look = () => {
    const place = [...sheet.querySelectorAll('.monogram, .merchant, .close')].map((element) => {
      const { x, y } = element.getBoundingClientRect()
      return [Math.round(x - origin().x), Math.round(y - origin().y)]
    })
    if (places.at(-1) !== `${place}`) places.push(`${place}`)
    requestAnimationFrame(look)
  }
  look()
}

/** Waits until an element has no animation left: a replaced animation rejects. */
const untilAnimationsEnd = (selector: string, options?: GetAnimationsOptions) =>
  page.locator(selector).evaluate(async (element, options) => {
    const isRunning = ({ playState }: Animation) => playState === 'running'
    for (;;) {
      const running = element.getAnimations(options).filter(isRunning)
      if (running.length === 0) return
      await Promise.allSettled(running.map(({ finished }) => finished))
    }
  }, options)

beforeEach(() => openShop({ by: 'script', motion: 'no-preference', probed: false }))

test.each([
  ['a desktop', { width: 1280, height: 720 }],
  ['a phone', { width: 375, height: 740 }],
])('nothing jumps on %s when the payment is loaded', async (_, size) => {
  await page.setViewportSize(size)
  let respond = () => {}
  const barrier = new Promise<void>((resolve) => {
    respond = resolve
  })
  await page.route('**/resolve', async (route) => {
    await barrier
    await route.continue()
  })
  serve(() => intent({ metadata: { description: 'Mugs', line_items: [{ name: 'Mug' }] } }))
  await addWallet(wallet)
  await open(secret)
  await page.locator('.bones').waitFor()
  // The entrance has ended: any further movement is a jump.
  await untilAnimationsEnd('dialog')
  await page.locator('.sheet').evaluate(watchPlaces)
  respond()
  await screenOf('pay').waitFor()
  await untilAnimationsEnd('.sheet', { subtree: true })
  expect((await watched()).places).toHaveLength(1)
})

const finish = async () => {
  respondWith(secret, intent())
  await addWallet(wallet)
  await page.evaluate(watchHeights)
  await open(secret)
  await screenOf('pay').waitFor()
  await pickWallet()
  await screenOf('sent').waitFor()
  respondWith(secret, pending)
  await screenOf('confirming').waitFor()
}

test('the height is animated between steps, from the old height to the new height', async () => {
  await finish()
  await untilAnimationsEnd('.sheet')
  const { heights } = await watched()
  expect(heights.length).toBeGreaterThan(1)
  for (const [from, to] of heights) expect(from).not.toBe(to)
  const height = await page
    .locator('.sheet')
    .evaluate((sheet) => (sheet as HTMLElement).offsetHeight)
  expect(heights.at(-1)?.at(-1)).toBe(height)
})

test('a payer who wants less motion gets no animated height', async () => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await finish()
  expect((await watched()).heights).toEqual([])
})

test('every choice has an edge in forced colours', async () => {
  await page.emulateMedia({ forcedColors: 'active' })
  for (const count of [1, 2]) await addWallet(wallet, count === 1 ? 'announced' : 'injected')
  respondWith(secret, intent())
  await open(secret)
  await screenOf('pay').waitFor()
  const edges = () =>
    page
      .locator('dialog')
      .locator('button, a, .choice span')
      .evaluateAll((choices) =>
        choices.map((choice) => Number.parseFloat(getComputedStyle(choice).borderTopWidth)),
      )
  expect(Math.min(...(await edges()))).toBeGreaterThan(0)
  await page.getByRole('tab', { name: 'QR code' }).click()
  await page.locator('.choice').waitFor()
  expect(Math.min(...(await edges()))).toBeGreaterThan(0)
})
