import { describe, expect, test } from 'vitest'
import { isFull } from '../../../../tests/support/tier.ts'
import { axeFaults } from '../support/axe.ts'
import { ringFraction } from '../support/focusRing.ts'
import { focused, pressUntil, round, type Stop } from '../support/keyboard.ts'
import { turnedAround, unreadable } from '../support/layout.ts'
import { type ScreenName, screenNames, screens } from '../support/screens.ts'
import { page } from '../support/shopPage.ts'

const dialog = () => page.locator('dialog')

/** In the quick tier, one screen of each layout; the others consist of the same parts. */
const layouts: ScreenName[] = [
  ...(['loading', 'pay by QR', 'service unavailable', 'confirm in wallet'] as const),
  ...(['declined', 'leaving, wallet prompts', 'confirming'] as const),
]
const tier = (names: readonly ScreenName[]) =>
  names.filter((name) => isFull || layouts.includes(name))

/** So tall that no screen scrolls, with the fonts of any machine: a scrolling element is a stop of the keyboard. */
const tall = { width: 480, height: 1400 }

test.each(tier(screenNames))(
  '%s passes axe, works by keyboard, and is readable at 400 % and with letters twice as large',
  async (name) => {
    await page.setViewportSize(tall)
    await screens[name]()
    await disableMotion()
    // This warning leaves the focus on the button that was pressed; other screens start at their heading.
    const first = name === 'leaving, wallet prompts' ? /^button "Close"/ : /^heading .*\[level=2\]/
    expect((await focused(page))?.label).toMatch(first)
    const visited = new Map<number, string>()
    const forth = fromTheTop(await round(page, 'Tab', { names: visited }))
    expect(forth.filter(({ inDialog }) => !inDialog)).toEqual([])
    expect(names(forth)).toEqual(await controls())
    expect(names(forth)).toEqual(names(forth.toSorted(compareByPosition('ltr'))))
    const back = await round(page, 'Shift+Tab', { names: visited })
    expect(names(fromTheTop(back.toReversed()))).toEqual(names(forth))
    for (const { label, box } of forth) {
      expect(Math.min(box.width, box.height), label).toBeGreaterThanOrEqual(24)
    }
    expect(await moving()).toEqual(waits.includes(name) ? [{ name: 'rotate', slow: true }] : [])

    await page.setViewportSize({ width: 320, height: 256 })
    expect(await unreadable(page)).toEqual([])
    for (const { label, box } of await round(page, 'Tab', { names: visited })) {
      // The dialog scrolls, so it is a stop as well.
      const isVisible = label.startsWith('dialog') || (box.y >= -1 && box.y + box.height <= 257)
      expect(isVisible, `${label} at ${box.y}, ${box.height} high`).toBe(true)
    }

    await page.setViewportSize(tall)
    expect(await axeFaults(page)).toEqual([])
    await enableDarkMode()
    expect(await axeFaults(page, 'color-contrast')).toEqual([])

    await page.setViewportSize({ width: 320, height: 256 })
    await addStyles(textSpacing)
    expect(await unreadable(page)).toEqual([])
    await page.setViewportSize({ width: 1280, height: 1024 })
    await doubleLetters()
    expect(await unreadable(page)).toEqual([])
  },
)

test('Esc closes nothing while the wallet prompts, and the keyboard reaches Back', async () => {
  await screens['confirm in wallet']()
  await page.keyboard.press('Escape')
  expect(await page.locator('[data-detail=confirming]').isVisible()).toBe(true)
  await pressUntil(page, 'Tab', /^button "Back"/)
  await page.keyboard.press('Enter')
  await page.locator('[data-screen=requested]').waitFor()
  expect((await focused(page))?.label).toMatch(/^heading "Your wallet was asked to pay"/)
})

/** Screens with a rotating ring, which is slow under reduced motion. */
const waits: ScreenName[] = [
  ...(['connecting', 'switching', 'checking', 'confirm in wallet', 'sent'] as const),
  ...(['on its way', 'request open', 'earlier request open', 'silent wallet'] as const),
  'reorged',
]

/** Together they have every control. */
const withEveryControl: ScreenName[] = ['pay by wallet', 'pay by QR', 'declined', 'paid']

const themes = (name: ScreenName) => {
  if (isFull) return ['light', 'dark']
  return ['pay by QR', 'paid'].includes(name) ? ['light'] : ['dark']
}

describe.each(withEveryControl)('the screen %s', (name) => {
  test.each(themes(name))('draws a focus ring two pixels thick, at 3:1: %s', async (theme) => {
    await page.setViewportSize(tall)
    await screens[name]({ theme })
    await disableMotion()
    const labels: { stop: Stop; picture: Buffer }[] = []
    const visit = async (stop: Stop) => {
      labels.push({ stop, picture: await page.screenshot({ clip: around(stop) }) })
    }
    await round(page, 'Tab', { onStop: visit })
    await dialog().locator('h2').focus()
    for (const { stop, picture } of labels) {
      const without = await page.screenshot({ clip: around(stop) })
      // Pixels that the ring's rounded edge covers only in part are not counted.
      expect(await ringFraction(page, picture, without, stop), stop.label).toBeGreaterThan(0.9)
    }
  })

  test('draws text at 7:1 for payers who prefer more contrast, and edges of buttons in forced colours', async () => {
    await page.emulateMedia({ contrast: 'more' })
    await screens[name]()
    expect(await axeFaults(page, 'color-contrast-enhanced')).toEqual([])
    await enableDarkMode()
    expect(await axeFaults(page, 'color-contrast-enhanced')).toEqual([])
    await page.emulateMedia({ contrast: null, forcedColors: 'active' })
    const bare = await dialog().evaluate((dialog) =>
      [...dialog.querySelectorAll('button')]
        .filter((control) => getComputedStyle(control).borderTopStyle !== 'solid')
        .map(({ className }) => className),
    )
    expect(bare).toEqual([])
  })
})

const arabic: ScreenName[] = [
  ...([
    'pay by wallet',
    'pay by QR',
    'pay without a wallet',
    'underpaid',
    'confirm in wallet',
  ] as const),
  ...(['too little USDC', 'sent', 'confirming', 'paid', 'expired'] as const),
]

describe.each(isFull ? arabic : (['pay by QR', 'too little USDC'] as const))(
  '%s, right to left',
  (name) => {
    test('is mirrored, except amounts, addresses and hashes', async () => {
      await page.setViewportSize(tall)
      await screens[name]({ locale: 'ar' })
      expect(await dialog().evaluate((dialog) => dialog.matches(':lang(ar):dir(rtl)'))).toBe(true)
      expect(await turnedAround(page)).toEqual([])
      expect(await axeFaults(page)).toEqual([])
      await disableMotion()
      const stops = fromTheTop(await round(page, 'Tab'))
      expect(names(stops)).toEqual(names(stops.toSorted(compareByPosition('rtl'))))
      const [closing] = stops
      const middle = 240
      expect(closing?.box.x).toBeLessThan(middle)
      await page.setViewportSize({ width: 320, height: 256 })
      expect(await unreadable(page)).toEqual([])
    })
  },
)

describe('right to left', () => {
  test('tabs and chevrons are mirrored', async () => {
    await screens['pay by one of two wallets']({ locale: 'ar' })
    const [first, second] = await page.getByRole('tab').all()
    const xOf = async (of: typeof first) => (await of?.boundingBox())?.x ?? Number.NaN
    expect(await xOf(first)).toBeGreaterThan(await xOf(second))
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
  })
})

describe('forced colours', () => {
  test('the chosen tab looks different, and the QR code stays black on white', async () => {
    // Dark, so that black on white is not the system's choice.
    await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
    await screens['pay by QR']()
    expect(await look('[aria-selected=true]')).not.toEqual(await look('[aria-selected=false]'))
    expect(await look(':checked + span')).not.toEqual(await look(':not(:checked) + span'))
    const [paper, ink] = await dialog().evaluate((dialog) =>
      ['.qr', '.qr path'].map((part) => {
        const element = dialog.querySelector(part)
        return element && getComputedStyle(element)[part === '.qr' ? 'backgroundColor' : 'fill']
      }),
    )
    expect([paper, ink]).toEqual(['rgb(255, 255, 255)', 'rgb(0, 0, 0)'])
  })
})

/** The look of an element in forced colours; a transparent element has the background behind it. */
function look(selector: string) {
  return dialog()
    .locator(selector)
    .first()
    .evaluate((element) => {
      const clear = /, 0\)$/
      let behind: Element | null = element
      while (behind && clear.test(getComputedStyle(behind).backgroundColor))
        behind = behind.parentElement
      const { borderTopColor, borderTopWidth, borderTopStyle, color } = getComputedStyle(element)
      const background = behind && getComputedStyle(behind).backgroundColor
      return [background, color, borderTopColor, borderTopWidth, borderTopStyle].join(' ')
    })
}

function enableDarkMode() {
  return dialog().evaluate(({ classList }) => classList.replace('light', 'dark'))
}

function moving() {
  return dialog().evaluate((dialog) =>
    (dialog.getRootNode() as ShadowRoot).getAnimations().map((animation) => ({
      name: (animation as CSSAnimation).animationName,
      slow: Number(animation.effect?.getTiming().duration) >= 5000,
    })),
  )
}

/** Everything that Tab must reach, as a screen reader names it, in document order. */
async function controls(): Promise<string[]> {
  const all = dialog().locator(
    'button:not([tabindex="-1"]), a[href], input:checked, summary, select',
  )
  const label = []
  for (const control of await all.all()) {
    if ((await control.isVisible()) || (await control.evaluate((node) => node.matches('input')))) {
      label.push((await control.ariaSnapshot()).split('\n')[0]?.replace(/^- |:$/g, '') ?? '')
    }
  }
  return label
}

const names = (stops: readonly Stop[]) => stops.map(({ label }) => label)

/** A round starts at the heading; this starts it at the topmost stop. */
function fromTheTop(stops: readonly Stop[]): Stop[] {
  const top = stops.indexOf(
    stops.toSorted((first, second) => first.box.y - second.box.y)[0] as Stop,
  )
  return [...stops.slice(top), ...stops.slice(0, top)]
}

/** Stops the countdown's clock, which also makes the checkout restore a lost focus. */
function disableMotion() {
  return page.evaluate(() => {
    for (let id = window.setInterval(() => {}, 1e9); id > 0; id -= 1) clearInterval(id)
  })
}

function compareByPosition(direction: 'ltr' | 'rtl') {
  return (first: Stop, second: Stop) => {
    const sameLine = Math.abs(middleOf(first) - middleOf(second)) < 8
    if (!sameLine) return middleOf(first) - middleOf(second)
    return direction === 'ltr' ? first.box.x - second.box.x : second.box.x - first.box.x
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

/** Enlarges only text, as a browser setting does. */
function doubleLetters() {
  return dialog().evaluate((dialog) => {
    const elements = [dialog, ...dialog.querySelectorAll<HTMLElement>('*')]
    const sizes = elements.map((element) => Number.parseFloat(getComputedStyle(element).fontSize))
    for (const [at, element] of elements.entries()) {
      element.style.fontSize = `${(sizes[at] ?? 0) * 2}px`
    }
  })
}
