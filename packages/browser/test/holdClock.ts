import type { Page } from 'playwright-core'

/**
 * From now on time passes in the page only as the test says. An hour ahead: a clock cannot be stopped where it is, and the
 * checkout goes by the clock of the service.
 */
export async function holdClock(page: Page): Promise<void> {
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 3_600_000)
}
