import type { Page } from 'playwright-core'

/** One thing that is heard without being asked for. */
export type Heard = { politely: boolean; text: string }

/**
 * Writes down what the checkout's live regions say from now on, each time that any of them changes, as
 * screen readers hear it: the whole region, since that is what `status` and `alert` ask for. What stands in
 * one already when it comes into the page is not heard.
 */
export function listen(page: Page): Promise<void> {
  return page.evaluate(() => {
    const heard: { politely: boolean; text: string }[] = []
    Object.assign(window, { heard })
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
          // A space that does not break sounds as any other.
          const text = region.textContent?.trim().replaceAll('\u00a0', ' ')
          if (text) heard.push({ politely: region.matches('[role=status]'), text })
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

/** All that was heard so far. */
export function heard(page: Page): Promise<Heard[]> {
  return page.evaluate(() => [...(window as unknown as { heard: Heard[] }).heard])
}

export async function sentences(page: Page): Promise<string[]> {
  return (await heard(page)).map(({ text }) => text)
}
