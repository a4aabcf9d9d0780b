import type { Page } from 'playwright-core'

/** Text that a live region announces. */
export type Announcement = { politely: boolean; text: string }

/**
 * Starts to record the checkout's live regions as a screen reader announces them: on each change the whole
 * region, as `status` and `alert` require. Initial content is not announced.
 */
export function listen(page: Page): Promise<void> {
  return page.evaluate(() => {
    const announcements: { politely: boolean; text: string }[] = []
    Object.assign(window, { announcements })
    const follow = (root: ShadowRoot) => {
      const regions = '[role=status], [role=alert], [aria-live]'
      const observer = new MutationObserver((changes) => {
        const changed = new Set<Element>()
        for (const { target } of changes) {
          const element = target instanceof Element ? target : target.parentElement
          const region = element?.closest(regions)
          if (region) changed.add(region)
        }
        for (const region of changed) {
          // A no-break space is announced like any other.
          const text = region.textContent?.trim().replaceAll('\u00a0', ' ')
          if (text) announcements.push({ politely: region.matches('[role=status]'), text })
        }
      })
      observer.observe(root, { subtree: true, childList: true, characterData: true })
    }
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) {
        for (const node of addedNodes) {
          if (node instanceof Element && node.shadowRoot) follow(node.shadowRoot)
        }
      }
    }).observe(document.body, { childList: true })
  })
}

/** All announcements so far. */
export function announcements(page: Page): Promise<Announcement[]> {
  return page.evaluate(() => [
    ...(window as unknown as { announcements: Announcement[] }).announcements,
  ])
}

export async function sentences(page: Page): Promise<string[]> {
  return (await announcements(page)).map(({ text }) => text)
}
