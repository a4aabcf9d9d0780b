import type { Page } from 'playwright-core'
import { axeFaults } from '../../../../packages/browser/test/support/axe.ts'
import type { Desk } from './openDesk.ts'

export type Look = {
  readonly size: { readonly width: number; readonly height: number }
  readonly colorScheme: 'light' | 'dark'
  /** Called on each page. */
  readonly onPage?: (path: string) => Promise<unknown>
}

const paths = [
  ...['/', '/payments', '/needs-you', '/refunds', '/links', '/developers/webhooks'],
  ...['/developers/keys', '/developers/events', '/settings', '/settings/wallets'],
  ...['/settings/people', '/settings/security', '/settings/log', '/nowhere'],
]

/** The paths of every page, with an object of each kind. */
export async function allPaths({ create }: Desk): Promise<string[]> {
  const intent = { amount_units: 24_000_000, metadata: { order_id: 'axe' } }
  const link = { amount_units: 5_000_000, description: 'Guitar lesson' }
  const endpoint = { url: 'https://shop.example.com/webhooks' }
  return [
    ...paths,
    `/payments/${await create('/v1/payment_intents', intent)}`,
    `/links/${await create('/v1/payment_links', link)}`,
    `/developers/webhooks/${await create('/v1/webhook_endpoints', endpoint)}`,
  ]
}

/** Opens each page in a size and color scheme. @returns violations that axe finds, and pages wider than the window */
export async function tour(
  { page, url }: Desk,
  paths: readonly string[],
  { size, colorScheme, onPage }: Look,
): Promise<string[]> {
  await page.setViewportSize(size)
  await page.emulateMedia({ colorScheme })
  const problems: string[] = []
  for (const path of paths) {
    await page.goto(url + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForFunction(() => !document.body.textContent?.includes('Loading …'))
    problems.push(...(await axeFaults(page)).map((fault) => `${path} ${fault}`))
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    if (width > size.width) problems.push(`${path} is ${width} px wide`)
    await onPage?.(path)
  }
  return problems
}

/** Presses Tab through a page. @returns stops without a name, without a visible focus or out of order, and traps */
export async function keyboardFaults(page: Page): Promise<string[]> {
  const problems: string[] = []
  const visited = new Set<string>()
  await page.evaluate(() => {
    ;(document.activeElement as HTMLElement | null)?.blur()
    document.getSelection()?.removeAllRanges()
  })
  const stops = await page.evaluate(markStops)
  let next: number | null = null
  // After the last stop the focus leaves the page, and returns to the first stop.
  for (let pressed = 0; pressed < stops + 2 && visited.size < stops; pressed += 1) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate(readStop)
    if (stop === null) continue
    const place = Number(stop.mark)
    if (next !== null && place !== next) problems.push(`stop ${place} comes before ${next}`)
    next = (place + 1) % stops
    visited.add(stop.mark)
    problems.push(...stop.faults)
  }
  if (visited.size < stops) problems.push(`the keyboard reaches ${visited.size} of ${stops} stops`)
  return problems
}

/** In the page: numbers the keyboard's stops in order. @returns their number */
function markStops(): number {
  const selector = 'a[href], button, input, select, textarea, summary, iframe, [tabindex="0"]'
  const stops = [...document.querySelectorAll<HTMLElement>(selector)].filter(
    (element) =>
      element.tabIndex >= 0 && !element.matches(':disabled') && element.checkVisibility(),
  )
  for (const [index, stop] of stops.entries()) stop.dataset.stop = String(index)
  return stops.length
}

/** In the page: the focused element. */
function readStop(): { mark: string; faults: string[] } | null {
  const element = document.activeElement as HTMLElement | null
  if (!element || element === document.body) return null
  const mark = element.dataset.stop ?? ''
  const what = element.outerHTML.slice(0, 120)
  const labels = [...((element as HTMLInputElement).labels ?? [])].map((each) => each.textContent)
  const name = [element.ariaLabel, element.title, element.textContent, ...labels].join('').trim()
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  const box = element.getBoundingClientRect()
  const isVisible =
    box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth
  return {
    mark,
    faults: [
      ...(mark === '' ? [`is focused, and is no stop: ${what}`] : []),
      ...(name === '' ? [`has no name: ${what}`] : []),
      ...(outlineStyle === 'none' || outlineWidth === '0px' ? [`shows no focus: ${what}`] : []),
      ...(isVisible ? [] : [`is focused out of sight: ${what}`]),
    ],
  }
}
