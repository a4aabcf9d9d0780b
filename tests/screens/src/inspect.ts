import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { CDPSession, Page } from 'playwright-core'

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

const axeFile = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'))

/** The faults that axe-core finds: rule, element and reason, a line each. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  const cdp = await page.context().newCDPSession(page)
  try {
    const contextId = await axeWorld(cdp)
    const evaluated = await cdp.send('Runtime.evaluate', {
      contextId,
      expression: `(${runAxe})(${JSON.stringify(tags)})`,
      awaitPromise: true,
      returnByValue: true,
    })
    if (evaluated.exceptionDetails)
      throw new Error(evaluated.exceptionDetails.exception?.description)
    return evaluated.result.value as string[]
  } finally {
    await cdp.detach()
  }
}

/** A world with axe-core beside the page's own scripts, whose clock may be held. */
async function axeWorld(cdp: CDPSession): Promise<number> {
  const { frameTree } = await cdp.send('Page.getFrameTree')
  const world = { frameId: frameTree.frame.id, worldName: 'axe' }
  // Reuses the world of that name, if this document has it.
  const { executionContextId: contextId } = await cdp.send('Page.createIsolatedWorld', world)
  const isLoaded = await cdp.send('Runtime.evaluate', { contextId, expression: "'axe' in window" })
  if (isLoaded.result.value !== true) {
    const expression = readFileSync(axeFile, 'utf8')
    await cdp.send('Runtime.evaluate', { contextId, expression })
  }
  return contextId
}

/** Runs in the page. */
async function runAxe(runOnly: string[]): Promise<string[]> {
  const { axe } = window as unknown as { axe: typeof import('axe-core') }
  // On a page that may not scroll, axe takes what is below the fold for hidden.
  const lock = [...document.adoptedStyleSheets]
  document.adoptedStyleSheets = []
  const { violations, incomplete, passes } = await axe.run(document, { runOnly })
  document.adoptedStyleSheets = lock
  // It takes joined letters, as Arabic has, for icons, whose contrast it leaves alone.
  const joined = document.querySelector('[dir=rtl]') !== null
  const read = passes.some(({ id, nodes }) => {
    return id === 'color-contrast' && nodes.some(({ target }) => Array.isArray(target[0]))
  })
  const overGradient = incomplete
    .flatMap(({ nodes }) => nodes)
    .filter(({ any }) => any.some(({ data }) => data?.messageKey === 'bgGradient'))
  return [
    ...(read || joined ? [] : ['axe has read no text of the dialog']),
    // It cannot say what contrast such text has.
    ...overGradient.map(({ target }) => `${target.flat().join(' ')} is over a gradient`),
    ...violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) =>
        [id, target.flat().join(' '), failureSummary].join(' | '),
      ),
    ),
  ]
}

/** Text and controls that are cut, or overflow the dialog or their box; a line each. */
export function cutElements(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const slack = 1
    const root = [...document.querySelectorAll('*')].find(
      (element) => element.shadowRoot,
    )?.shadowRoot
    const dialog = root?.querySelector('dialog')
    if (!dialog) return ['There is no dialog.']
    const faults: string[] = []
    const outer = dialog.getBoundingClientRect()
    if (dialog.scrollWidth > dialog.clientWidth) faults.push('the dialog scrolls sideways')
    if (outer.left < -slack || outer.right > innerWidth + slack) faults.push('the dialog is cut')
    const unseen = (element: Element) =>
      element.closest('.unseen, svg') !== null || element.getClientRects().length === 0
    const nameOf = (element: Element) =>
      `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''}`
    for (const element of dialog.querySelectorAll<HTMLElement>('*')) {
      if (unseen(element) || !element.checkVisibility()) continue
      const { overflowX, overflowY } = getComputedStyle(element)
      const wide = element.scrollWidth > element.clientWidth + slack && overflowX !== 'visible'
      const high = element.scrollHeight > element.clientHeight + slack && overflowY !== 'visible'
      if (wide || high) faults.push(`${nameOf(element)} cuts “${element.textContent}”`)
      for (const node of element.childNodes) {
        if (node.nodeType !== Node.TEXT_NODE || !node.textContent?.trim()) continue
        const range = document.createRange()
        range.selectNodeContents(node)
        const box = element.getBoundingClientRect()
        const left = Math.max(box.left, outer.left) - slack
        const right = Math.min(box.right, outer.right) + slack
        for (const line of range.getClientRects()) {
          if (line.left >= left && line.right <= right) continue
          faults.push(`${nameOf(element)}: “${node.textContent}” stands out of its box`)
        }
      }
    }
    return [...new Set(faults)]
  })
}

/** The buttons and links of a screen except for closing it, in reading order. */
export function actionsOf(page: Page) {
  return page.locator('.sheet :is(button:enabled:not(.close), a[href]):visible')
}
