import { type Browser, chromium } from 'playwright-core'
import { inject } from 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of the Chromium that the tests run in. */
    chromium: string
  }
}

/** Headless, and the one that was found before the tests. */
export function launchChromium(): Promise<Browser> {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync']
  // A container has neither a user to keep the sandbox's promises for nor, often, a /dev/shm of use.
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', ...quiet]
  return chromium.launch({ executablePath: inject('chromium'), args })
}
