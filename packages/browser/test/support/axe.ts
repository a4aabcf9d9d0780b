import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { RunOnly } from 'axe-core'
import type { Page } from 'playwright-core'

/** Not `axe.source`, which is more than twice as long. */
const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Violations in the open checkout, a line each: of `rule`, or of WCAG 2.2 AA and good practice. */
export async function axeFaults(page: Pick<Page, 'evaluate'>, rule?: string): Promise<string[]> {
  const runOnly: RunOnly = rule ? { type: 'rule', values: [rule] } : { type: 'tag', values: tags }
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  return page.evaluate(async (runOnly) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') }
    const host = document.querySelector('body > div:last-child, main')
    if (!host) throw new Error('There is neither a checkout nor a page.')
    // While it is open the page does not scroll, and what lies outside of such a page is hidden to axe.
    document.documentElement.style.minHeight = '100vh'
    const { violations } = await axe.run(host, { runOnly })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
    )
  }, runOnly)
}
