import type { Page } from 'playwright-core'
import type { Stop } from './keyboard.ts'

/**
 * Share of a two CSS pixel ring around the stop that changes by a contrast of 3:1 or more between two pictures
 * of the page at scale 1, with and without focus; WCAG 2.4.13 requires at least 1.
 */
export async function ringFraction(
  page: Page,
  focused: Buffer,
  unfocused: Buffer,
  { box, radius }: Stop,
) {
  const pictures = [focused, unfocused].map((picture) => picture.toString('base64'))
  const changed = await page.evaluate(async (pictures) => {
    const [before, after] = await Promise.all(
      pictures.map(async (picture) => {
        const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0))
        const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
        const context = new OffscreenCanvas(image.width, image.height).getContext('2d')
        context?.drawImage(image, 0, 0)
        return (
          context?.getImageData(0, 0, image.width, image.height).data ?? new Uint8ClampedArray()
        )
      }),
    )
    if (!before || !after) throw new Error('There are no two pictures.')
    const linear = (value = 0) => {
      const fraction = value / 255
      return fraction <= 0.04045 ? fraction / 12.92 : ((fraction + 0.055) / 1.055) ** 2.4
    }
    const luminance = (data: Uint8ClampedArray, at: number) =>
      0.2126 * linear(data[at]) + 0.7152 * linear(data[at + 1]) + 0.0722 * linear(data[at + 2])
    let count = 0
    for (let at = 0; at < before.length; at += 4) {
      const [dark = 0, light = 0] = [luminance(before, at), luminance(after, at)].sort(
        (a, b) => a - b,
      )
      if ((light + 0.05) / (dark + 0.05) >= 3) count += 1
    }
    return count
  }, pictures)
  const round = Math.min(radius, box.width / 2, box.height / 2)
  return changed / (2 * (2 * (box.width + box.height) - (8 - 2 * Math.PI) * round))
}
