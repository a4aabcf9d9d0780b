import { type Browser, type BrowserServer, chromium, type LaunchOptions } from 'playwright-core'
import { patience } from './patience.ts'

/** Headless, and without requests of its own to the internet. */
export async function startChromium(executablePath: string): Promise<Browser> {
  return withDefaults(await chromium.launch(launchOptions(executablePath)))
}

/** The same for other processes to connect to. */
export function serveChromium(executablePath: string): Promise<BrowserServer> {
  return chromium.launchServer({ ...launchOptions(executablePath), host: '127.0.0.1' })
}

/** Nothing that a page can see is left to the browser's build or to the machine. */
const page = {
  locale: 'en-US',
  timezoneId: 'UTC',
  colorScheme: 'light',
  // A test of motion says so: drawing it takes a quarter of the time of a walk.
  reducedMotion: 'reduce',
  viewport: { width: 1280, height: 720 },
  deviceScaleFactor: 1,
} as const

/** A browser whose pages are `page` unless a test says otherwise, with `patience` as their timeout instead of 30 seconds. */
export function withDefaults(browser: Browser): Browser {
  const { newContext } = browser
  // `newPage` calls it, too.
  browser.newContext = async (options) => {
    const context = await newContext.call(browser, { ...page, ...options })
    context.setDefaultTimeout(patience)
    return context
  }
  return browser
}

function launchOptions(executablePath: string): LaunchOptions {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync']
  // Pages are drawn by the processor, in the browser's own process: a process for graphics takes a fifth more time.
  const cheap = ['--disable-gpu', '--disable-software-rasterizer', '--in-process-gpu']
  // In a container the sandbox cannot start, and /dev/shm is often too small.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', ...cheap, ...quiet]
  return { executablePath, args, timeout: patience }
}
