import type { Browser, BrowserContext, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { launchChromium } from '../../../../../tests/support/launchChromium.ts'
import { noteCalls, noteSpending } from '../spending.ts'

// Pages of the service, whose every request the test responds to.

type Opening = {
  path: string
  /** Responds to every request. */
  serve: (route: Route) => Promise<unknown>
  /** Adds a script that runs before those of the page. */
  prepare?: (context: BrowserContext) => Promise<{ dispose(): Promise<void> }>
  viewport: { width: number; height: number }
  locale: string
  dark: boolean
  /** Whether the device is a phone, regardless of its size. */
  isMobile?: boolean
  /** Errors in the console that are not complaints. */
  ignored?: RegExp
  /** Whether the test needs a page that no other test has used, for example to read its history. */
  isFresh?: boolean
}

type Opened = { readonly context: BrowserContext; readonly page: Page; complaints: string[] }
type SharedPage = Opened & { ignored: RegExp | undefined; isSpent: boolean }

let browser: Browser
let openings = 0
/** Idle pages, by the settings that cannot change. */
const idlePages = new Map<string, SharedPage>()
/** The service of the page that was opened last. */
export let serviceOrigin: string

export function useBrowser(): void {
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser.close())
}

/**
 * Opens a page at an origin that no test has used, so that its storage is empty. It reuses the page of an earlier test
 * if nothing lasts in it, since a new page takes a new process.
 */
export async function openHostedPage(opening: Opening): Promise<Opened> {
  const { locale, isMobile = false, isFresh = false, viewport } = opening
  const key = `${locale} ${isMobile}`
  const idle = isFresh ? undefined : idlePages.get(key)
  if (idle) idlePages.delete(key)
  const opened = idle ?? (await newPage({ locale, isMobile, viewport }))
  const { context, page } = opened
  opened.complaints = []
  opened.ignored = opening.ignored
  await page.setViewportSize(viewport)
  await page.emulateMedia({ ...media, colorScheme: opening.dark ? 'dark' : 'light' })
  await context.route(/./, opening.serve)
  const prepared = await opening.prepare?.(context)
  opened.isSpent = isFresh
  onTestFinished(async () => {
    if (opened.isSpent || idlePages.has(key)) return context.close()
    await page.goto('about:blank')
    await prepared?.dispose()
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    idlePages.set(key, opened)
  })
  openings += 1
  serviceOrigin = `http://v${openings}.pay.example`
  await page.goto(serviceOrigin + opening.path)
  return opened
}

const media = { media: null, contrast: null, forcedColors: null, reducedMotion: 'reduce' } as const

async function newPage(options: Pick<Opening, 'locale' | 'isMobile' | 'viewport'>) {
  const context = await browser.newContext({ ...options, hasTouch: options.isMobile ?? false })
  const page = await context.newPage()
  const opened: SharedPage = { context, page, complaints: [], ignored: undefined, isSpent: false }
  page.on('console', (message) => {
    if (message.type() === 'error' && !opened.ignored?.test(message.text())) {
      opened.complaints.push(message.text())
    }
  })
  page.on('pageerror', (error) => opened.complaints.push(String(error)))
  const spend = () => {
    opened.isSpent = true
  }
  noteSpending(opened, spend)
  noteCalls(context, spend, 'newPage')
  return opened
}
