import { type Browser, chromium } from 'playwright-core'
import { inject } from 'vitest'
import { patience } from './patience.ts'
import { withDefaults } from './startChromium.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the Chromium of the run is connected to. */
    chromium: string
  }
}

/** The Chromium of the run, as a browser of the test file's own: closing it closes the contexts that were made by it. */
export async function launchChromium(): Promise<Browser> {
  return withDefaults(await chromium.connect(inject('chromium'), { timeout: patience }))
}
