import { describe, expect, test } from 'vitest'
import { axeFaults } from '../test/axe.ts'
import { addWallet, close, open, page, screenOf, tell, wallet } from '../test/checkoutPage.ts'
import { ringShare } from '../test/focusRing.ts'
import { intent } from '../test/intent.ts'
import { focused, pressUntil, round, type Stop } from '../test/keyboard.ts'
import { turnedAround, unreadable } from '../test/layout.ts'
import { type ScreenName, screenNames, screens } from '../test/screens.ts'

const dialog = () => page.locator('dialog')

describe.each(screenNames)('%s', (name) => {
  test('axe finds nothing, light, dark, and with more contrast', async () => {
    await screens[name]()
    expect(await axeFaults(page)).toEqual([])
    await dialog().evaluate(({ classList }) => classList.replace('light', 'dark'))
    expect(await axeFaults(page)).toEqual([])
    await page.emulateMedia({ contrast: 'more' })
    const enhanced = () => axeFaults(page, ['color-contrast-enhanced'], 'rule')
    expect(await enhanced()).toEqual([])
    await dialog().evaluate(({ classList }) => classList.replace('dark', 'light'))
    expect(await enhanced()).toEqual([])
  })

  test('the keyboard reaches everything, in the order it is read, with a ring to be seen', async () => {
    await page.setViewportSize({ width: 480, height: 1000 })
    await screens[name]()
    const heading = await focused(page)
    expect(heading?.said).toMatch(/^heading .*\[level=2\]/)
    const views: { stop: Stop; picture: Buffer }[] = []
    const forth = await round(page, 'Tab', async (stop) => {
      views.push({ stop, picture: await page.screenshot({ clip: around(stop) }) })
    })
    expect(forth.filter(({ inDialog }) => !inDialog)).toEqual([])
    expect(forth.map(({ said }) => said)).toEqual(await controls())
    expect(forth).toEqual(forth.toSorted(byReadingOrder('ltr')))
    const back = (await round(page, 'Shift+Tab')).map(({ said }) => said)
    expect(back.toSorted()).toEqual(forth.map(({ said }) => said).toSorted())

    await dialog().locator('h2').focus()
    for (const { stop, picture } of views) {
      const without = await page.screenshot({ clip: around(stop) })
      const share = await ringShare(page, picture, without, stop.box)
      expect({ said: stop.said, ring: share >= 0.9 }, `${share}`).toEqual({ said: stop.said, ring: true })
      expect(stop.box.width, stop.said).toBeGreaterThanOrEqual(24)
      expect(stop.box.height, stop.said).toBeGreaterThanOrEqual(24)
    }
  })

  test('it can be read at 400 %, with wider spacing, and with letters twice as large', async () => {
    await page.setViewportSize({ width: 320, height: 256 })
    await screens[name]()
    expect(await unreadable(page)).toEqual([])
    for (const { said, box } of await round(page, 'Tab')) {
      expect({ said, seen: box.y >= 0 && box.y + box.height <= 256 }).toEqual({ said, seen: true })
    }
    await addStyles(textSpacing)
    expect(await unreadable(page)).toEqual([])
    await page.setViewportSize({ width: 1280, height: 1024 })
    expect(await unreadable(page)).toEqual([])
    await doubleLetters()
    expect(await unreadable(page)).toEqual([])
  })

  test('nothing moves for those who asked for less, but a ring that turns slowly', async () => {
    await screens[name]()
    const moving = await dialog().evaluate((dialog) =>
      (dialog.getRootNode() as ShadowRoot).getAnimations().map((animation) => ({
        name: (animation as CSSAnimation).animationName,
        slow: Number(animation.effect?.getTiming().duration) >= 5000,
      })),
    )
    const waits = /^(loading|connecting|switching|checking|confirm in wallet|sent|reorged)$/.test(name)
    expect(moving).toEqual(waits ? [{ name: 'turn', slow: true }] : [])
  })
})

const arabic: ScreenName[] = [
  ...(['pay by wallet', 'pay by QR', 'pay without a wallet', 'underpaid', 'confirm in wallet'] as const),
  ...(['too little USDC', 'sent', 'confirming', 'paid', 'expired'] as const),
]

describe.each(arabic)('%s, right to left', (name) => {
  test('it is mirrored, and amounts, addresses and hashes are not', async () => {
    await page.setViewportSize({ width: 480, height: 1000 })
    await screens[name]({ locale: 'ar' })
    expect(await dialog().evaluate((dialog) => dialog.matches(':lang(ar):dir(rtl)'))).toBe(true)
    expect(await turnedAround(page)).toEqual([])
    expect(await axeFaults(page)).toEqual([])
    const stops = await round(page, 'Tab')
    expect(stops).toEqual(stops.toSorted(byReadingOrder('rtl')))
    const [closing] = stops
    const middle = 240
    expect(closing?.box.x).toBeLessThan(middle)
    await page.setViewportSize({ width: 320, height: 256 })
    expect(await unreadable(page)).toEqual([])
  })
})

describe('right to left', () => {
  test('chevrons, tabs and steps go the other way', async () => {
    await screens['pay by wallet']({ locale: 'ar' })
    const [first, second] = await page.getByRole('tab').all()
    const left = async (of: typeof first) => (await of?.boundingBox())?.x ?? Number.NaN
    expect(await left(first)).toBeGreaterThan(await left(second))
    await first?.focus()
    await page.keyboard.press('ArrowLeft')
    expect(await second?.getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('ArrowRight')
    expect(await first?.getAttribute('aria-selected')).toBe('true')
    const chevron = page.locator('.icon-chevron').first()
    const mirrored = await chevron.evaluate((icon) => {
      const { transform, scale } = getComputedStyle(icon)
      return new DOMMatrix(transform).a < 0 || scale.startsWith('-1')
    })
    expect(mirrored).toBe(true)
    await close('a')
    await screens['confirm in wallet']({ locale: 'ar' })
    const [one, , three] = await page.locator('.steps > *').all()
    expect(await left(one)).toBeGreaterThan(await left(three))
  })
})

describe('forced colours', () => {
  test('every control has an edge, what is chosen looks different, and the QR stays black on white', async () => {
    await page.emulateMedia({ forcedColors: 'active' })
    for (const name of ['pay by wallet', 'pay by QR', 'declined', 'paid'] as const) {
      await screens[name]()
      const bare = await dialog().evaluate((dialog) =>
        [...dialog.querySelectorAll('button, .quiet, .primary')]
          .filter((control) => getComputedStyle(control).borderTopStyle !== 'solid')
          .map(({ className }) => className),
      )
      expect(bare, name).toEqual([])
      await close('a')
    }
    await screens['pay by QR']()
    expect(await look('[role=tab][aria-selected=true]')).not.toEqual(await look('[role=tab][aria-selected=false]'))
    expect(await look(':checked + span')).not.toEqual(await look(':not(:checked) + span'))
    const qr = await dialog().evaluate((dialog) => {
      const colour = (selector: string, name: 'backgroundColor' | 'fill') => {
        const element = dialog.querySelector(selector)
        return element && getComputedStyle(element)[name]
      }
      return [colour('.qr', 'backgroundColor'), colour('.qr path', 'fill')]
    })
    expect(qr).toEqual(['rgb(255, 255, 255)', 'rgb(0, 0, 0)'])
    await close('a')
    await screens['confirm in wallet']()
    const steps = await Promise.all([1, 2, 3].map((step) => look(`.steps > :nth-child(${step})`)))
    expect(steps[2]).toEqual(steps[1])
  })
})

/** What forced colours leave of a look. */
function look(selector: string) {
  return dialog().locator(selector).first().evaluate((element) => {
    const { backgroundColor, borderTopColor, borderTopWidth, borderTopStyle, color } = getComputedStyle(element)
    return { backgroundColor, borderTopColor, borderTopWidth, borderTopStyle, color }
  })
}

/** Everything that must be reached with Tab, as a screen reader calls it, in the order of the document. */
async function controls(): Promise<string[]> {
  const all = dialog().locator('button:not([tabindex="-1"]), a[href], input:checked')
  const said = []
  for (const control of await all.all()) {
    if ((await control.isVisible()) || (await control.evaluate((node) => node.matches('input')))) {
      said.push((await control.ariaSnapshot()).split('\n')[0]?.replace(/^- |:$/g, '') ?? '')
    }
  }
  return said
}

function byReadingOrder(direction: 'ltr' | 'rtl') {
  return (one: Stop, other: Stop) => {
    const sameLine = Math.abs(middleOf(one) - middleOf(other)) < 8
    if (!sameLine) return middleOf(one) - middleOf(other)
    return direction === 'ltr' ? one.box.x - other.box.x : other.box.x - one.box.x
  }
}

const middleOf = ({ box }: Stop) => box.y + box.height / 2

function around({ box }: Stop) {
  const margin = 6
  return {
    x: Math.max(0, box.x - margin),
    y: Math.max(0, box.y - margin),
    width: box.width + 2 * margin,
    height: box.height + 2 * margin,
  }
}

function addStyles(css: string) {
  return dialog().evaluate((dialog, css) => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    ;(dialog.getRootNode() as ShadowRoot).adoptedStyleSheets.push(sheet)
  }, css)
}

/** WCAG 1.4.12. */
const textSpacing = `* {
  line-height: 1.5 !important;
  letter-spacing: 0.12em !important;
  word-spacing: 0.16em !important;
}
p { margin-bottom: 2em !important }`

/** As a browser does that enlarges text alone. */
function doubleLetters() {
  return dialog().evaluate((dialog) => {
    const elements = [dialog, ...dialog.querySelectorAll<HTMLElement>('*')]
    const sizes = elements.map((element) => Number.parseFloat(getComputedStyle(element).fontSize))
    for (const [at, element] of elements.entries()) {
      element.style.fontSize = `${(sizes[at] ?? 0) * 2}px`
    }
  })
}
