import type { Browser } from 'playwright-core'
import { inject } from 'vitest'
import { startChromium } from './startChromium.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of the Chromium that the tests run in. */
    chromium: string
  }
}

/** The one that was found before the tests. */
export function launchChromium(): Promise<Browser> {
  return startChromium(inject('chromium'))
}
