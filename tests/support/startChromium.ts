import { type Browser, type BrowserServer, chromium, type LaunchOptions } from 'playwright-core'
import { patience } from './patience.ts'

/** Headless, and told to leave the internet alone. */
export async function startChromium(executablePath: string): Promise<Browser> {
  return withPatience(await chromium.launch(launching(executablePath)))
}

/** The same for other processes to connect to. */
export function serveChromium(executablePath: string): Promise<BrowserServer> {
  return chromium.launchServer({ ...launching(executablePath), host: '127.0.0.1' })
}

/** A browser whose pages wait for whatever they wait for with `patience`, and not for 30 seconds. */
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
  // A container has neither a user to keep the sandbox's promises for nor, often, a /dev/shm of use.
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', ...quiet]
  return { executablePath, args, timeout: patience }
}
