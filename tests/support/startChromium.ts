import { type Browser, type BrowserServer, chromium, type LaunchOptions } from 'playwright-core'
import { patience } from './patience.ts'

/** Headless, and without requests of its own to the internet. */
export async function startChromium(executablePath: string): Promise<Browser> {
  return withPatience(await chromium.launch(launching(executablePath)))
}

/** The same for other processes to connect to. */
export function serveChromium(executablePath: string): Promise<BrowserServer> {
  return chromium.launchServer({ ...launching(executablePath), host: '127.0.0.1' })
}

/** A browser whose pages have `patience` as their timeout instead of 30 seconds. */
export function withPatience(browser: Browser): Browser {
  const { newContext } = browser
  // `newPage` makes its context by it, too.
  browser.newContext = async (options) => {
    const context = await newContext.call(browser, options)
    context.setDefaultTimeout(patience)
    return context
  }
  return browser
}

function launching(executablePath: string): LaunchOptions {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync']
  // In a container the sandbox cannot start, and /dev/shm is often too small.
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', ...quiet]
  return { executablePath, args, timeout: patience }
}
