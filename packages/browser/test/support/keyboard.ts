import type { Page } from 'playwright-core'

type Box = { x: number; y: number; width: number; height: number }

/** The focused element: its name in a screen reader, and the box that is drawn for it. */
export type Stop = { label: string; box: Box; radius: number; inDialog: boolean; id: number }

/**
 * Returns `null` when no element has the focus, as between the last and the first, in the browser's own controls.
 *
 * @param names names of elements that have had the focus, by id: for a screen whose names do not change meanwhile
 */
export async function focused(page: Page, names?: Map<number, string>): Promise<Stop | null> {
  const stop = await page.evaluate(() => {
    let element = document.activeElement
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
    if (!element || element === document.body) return null
    const probe = window as unknown as { stops?: Element[] }
    probe.stops ??= []
    const number = probe.stops.indexOf(element)
    const id = number < 0 ? probe.stops.push(element) - 1 : number
    // A radio is drawn by the label text beside it.
    const drawn = (element.matches('input') && element.nextElementSibling) || element
    const { x, y, width, height } = drawn.getBoundingClientRect()
    const corner = getComputedStyle(drawn).borderTopLeftRadius
    const radius = Number.parseFloat(corner) * (corner.endsWith('%') ? width / 100 : 1)
    return {
      id,
      box: { x, y, width, height },
      radius,
      inDialog: element.closest('dialog') !== null,
    }
  })
  if (!stop) return null
  const label = names?.get(stop.id) ?? (await nameOfFocused(page))
  names?.set(stop.id, label)
  return { ...stop, label }
}

async function nameOfFocused(page: Page): Promise<string> {
  // The host of a shadow root matches too, before the element in it.
  const label = (await page.locator(':focus').last().ariaSnapshot()).split('\n')[0] ?? ''
  return label.replace(/^- |:$/g, '')
}

/** Presses a key until an element of that name has the focus, and returns all that had it. */
export async function pressUntil(page: Page, key: 'Tab' | 'Shift+Tab', name: RegExp) {
  const labels: string[] = []
  for (let press = 0; press < 40; press += 1) {
    await page.keyboard.press(key)
    const stop = await focused(page)
    labels.push(stop?.label ?? 'the browser')
    if (stop && name.test(stop.label)) return labels
  }
  throw new Error(`${key} does not reach ${name}, but:\n${labels.join('\n')}`)
}

type Round = {
  /** Called at each stop. */
  onStop?: (stop: Stop) => Promise<void>
  /** As `focused` takes them, from an earlier round of the same screen. */
  names?: Map<number, string>
}

/** Returns all stops of a round from the current focus. */
export async function round(
  page: Page,
  key: 'Tab' | 'Shift+Tab',
  { onStop = async () => {}, names = new Map() }: Round = {},
): Promise<Stop[]> {
  const stops: Stop[] = []
  for (let press = 0; press < 40; press += 1) {
    await page.keyboard.press(key)
    const stop = await focused(page, names)
    if (!stop) continue
    if (stop.id === stops[0]?.id) return stops
    stops.push(stop)
    await onStop(stop)
  }
  throw new Error(`${key} goes round without end:\n${stops.map(({ label }) => label).join('\n')}`)
}
