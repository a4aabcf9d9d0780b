import type { Page } from 'playwright-core'
import { fetchModule } from '../../../scripts/fetch/fetchModule.ts'
import { type Appearance, dress } from './appearance.ts'
import type { Entry } from './entry.ts'
import type { World } from './screensWorld.ts'
import { walkTo } from './walkTo.ts'

type Sharp = (
  pictures: readonly Buffer[],
  options: { readonly join: object },
) => { png(options: object): { toBuffer(): Promise<Buffer> } }

/** The margin of page shown around the dialog, in CSS pixels. */
const margin = 24
const scale = 2
const gap = { r: 255, g: 255, b: 255, alpha: 0 }

/** One screen four times side by side: light, dark, on a phone, and from right to left. */
export async function drawScreen(world: World, entry: Entry): Promise<Buffer> {
  const [light, phone, dark] = await photograph(world, entry, 'en', ['light', 'phone', 'dark'])
  const [mirrored] = await photograph(world, entry, 'ar', ['light'])
  return sideBySide([light, dark, phone, mirrored])
}

/** Walks to a screen in one language and photographs it in each appearance, in order. */
export function photograph(
  world: World,
  entry: Entry,
  locale: string,
  appearances: readonly Appearance[],
): Promise<Buffer[]> {
  return walkTo(world, entry, { locale, scale }, async (walk) => {
    const pictures = []
    for (const appearance of appearances) {
      await dress(walk, appearance)
      pictures.push(await shoot(walk.page))
    }
    return pictures
  })
}

/** Pictures in a row, with few colours: they are flat drawings. */
export async function sideBySide(pictures: readonly (Buffer | undefined)[]): Promise<Buffer> {
  const sharp = await fetchModule<Sharp>('sharp', 'sharp')
  const row = pictures.filter((picture) => picture !== undefined)
  return sharp(row, {
    join: { across: row.length, shim: margin, valign: 'top', halign: 'centre', background: gap },
  })
    .png({ palette: true, colours: 64, dither: 0, effort: 10 })
    .toBuffer()
}

async function shoot(page: Page): Promise<Buffer> {
  await page.evaluate(() => {
    for (const { shadowRoot } of document.querySelectorAll('*')) {
      const left = shadowRoot?.querySelector('.countdown span[aria-hidden=true]')
      // The countdown must not depend on how long the walk took.
      if (left?.firstChild) {
        left.firstChild.nodeValue = left.textContent?.startsWith('0:') ? '0:30' : '29:30'
      }
    }
    return document.fonts.ready
  })
  const box = await page.locator('dialog').boundingBox()
  const view = page.viewportSize()
  if (!box || !view) throw new Error('There is no dialog to photograph.')
  const x = Math.max(0, box.x - margin)
  const y = Math.max(0, box.y - margin)
  const right = Math.min(view.width, box.x + box.width + margin)
  const bottom = Math.min(view.height, box.y + box.height + margin)
  const clip = { x, y, width: right - x, height: bottom - y }
  return page.screenshot({ animations: 'disabled', caret: 'hide', clip })
}
