import type { Page } from 'playwright-core'

/**
 * Stops the page's clock, so that only the test moves it. It is set an hour ahead: a clock cannot be
 * paused at the current time, and the checkout uses the service's clock.
 */
export async function holdClock(page: Page): Promise<void> {
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 3_600_000)
}
