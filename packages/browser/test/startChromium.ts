import { type Browser, chromium } from 'playwright-core'

/** Headless, and told to leave the internet alone. */
export function startChromium(executablePath: string): Promise<Browser> {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync']
  // A container has neither a user to keep the sandbox's promises for nor, often, a /dev/shm of use.
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', ...quiet]
  return chromium.launch({ executablePath, args })
}
