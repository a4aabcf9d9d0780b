import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, inject } from 'vitest'
import { launchChromium } from '../../../tests/support/launchChromium.ts'
import type {} from '../../../tests/support/startPostgres.ts'
import { type Stack, startStack } from './startStack.ts'

/** The stack of the test file that imports this. */
export let stack: Stack
export let browser: Browser

beforeAll(async () => {
  browser = await launchChromium()
  stack = await startStack({ clusterUrl: inject('clusterUrl'), polygon: true })
})

afterAll(async () => {
  await browser?.close()
  await stack?.stop()
})
