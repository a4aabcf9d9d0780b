import type { Locator, Page } from 'playwright-core'
import { focused } from './keyboard.ts'
import { listen, sentences } from './screenReader.ts'

export type Transcript = {
  /** Waits for a screen, and records its content. */
  arrive: (screen: Locator) => Promise<void>
  /** Presses a key, and waits for a screen if it is passed. */
  press: (key: string, screen?: Locator) => Promise<void>
  /** Records an event that is not the payer's. */
  meanwhile: (step: string) => void
  text: () => string
}

/** Records the checkout that the page opens next, as used with a keyboard and a screen reader. */
export async function startTranscript(page: Page, title: string): Promise<Transcript> {
  await listen(page)
  const lines: string[] = []
  const blocks = [`## ${title}`]
  let printedLines = 0
  let at: string | undefined

  async function record() {
    const stop = (await focused(page))?.label
    if (stop !== at) lines.push(`focus  ${stop ?? 'the browser'}`)
    at = stop
    const all = await sentences(page)
    lines.push(...all.slice(printedLines).map((sentence) => `aloud  ${sentence}`))
    printedLines = all.length
  }
  function finish() {
    if (lines.length > 0) blocks.push(['```', ...lines.splice(0), '```'].join('\n'))
  }

  return {
    async arrive(screen) {
      await screen.waitFor()
      await record()
      finish()
      const tree = (await page.getByRole('dialog').ariaSnapshot())
        .replace(/\d+:\d\d left/, '29:59 left')
        .replace(/\n +- option "[^"]+"$/gm, '')
        .replace(/until [\d:]+\s[AP]M/, 'until 12:30:00 PM')
      blocks.push(['```text', tree, '```'].join('\n'))
    },
    async press(key, screen) {
      lines.push(`payer  ${key}`)
      await page.keyboard.press(key)
      await screen?.waitFor()
      await record()
    },
    meanwhile(step) {
      finish()
      blocks.push(step)
    },
    text() {
      finish()
      return blocks.join('\n\n')
    },
  }
}
