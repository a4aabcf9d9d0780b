import type { startChromium } from '../../tests/support/startChromium.ts'
import { loadedMs, type Opening, openInPage } from './openInPage.ts'

/** Milliseconds of one visit. */
export type Visit = {
  /** From the navigation until the page and its scripts are loaded. */
  readonly page: number
  /** From `openServiceModal()` until a frame with the checkout's dialog was on the screen. */
  readonly shown: number
  /** From `openServiceModal()` until the payer can choose how to pay. */
  readonly open: number
}

type Browser = Awaited<ReturnType<typeof startChromium>>
type Context = Awaited<ReturnType<Browser['newContext']>>

type Visiting = {
  readonly url: string
  /** Times slower than this machine. */
  readonly cpu: number
  readonly opening: Opening
}

/** Loads a page and opens its checkout. */
export async function timeVisit(context: Context, { url, cpu, opening }: Visiting): Promise<Visit> {
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: cpu })
  await page.goto(url)
  const loaded = await page.evaluate(loadedMs)
  const { shown, open } = await page.evaluate(openInPage, opening)
  await page.close()
  return { page: loaded, shown, open }
}
