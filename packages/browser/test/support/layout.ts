import type { Page } from 'playwright-core'

/** Text of the dialog that is unreadable: cut off, covered by other text, or off the side. */
export function unreadable(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const dialog = document
      .querySelector('body > div:last-child')
      ?.shadowRoot?.querySelector('dialog')
    if (!dialog) return ['no dialog']
    const faults: string[] = []
    if (dialog.scrollWidth > dialog.clientWidth) faults.push('the dialog scrolls sideways')
    if (document.documentElement.scrollWidth > window.innerWidth)
      faults.push('the page scrolls sideways')
    const edges = dialog.getBoundingClientRect()
    if (edges.left < -1 || edges.right > window.innerWidth + 1)
      faults.push('the dialog is too wide')
    const boxes: { text: string; box: DOMRect }[] = []
    const texts = document.createTreeWalker(dialog, NodeFilter.SHOW_TEXT)
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const element = node.parentElement
      const text = node.textContent?.trim()
      // Collapsed elements have a box, but are not drawn.
      if (!element || !text || element.closest('.unseen, option')) continue
      if (!element.checkVisibility()) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      const lines = [...range.getClientRects()].filter(({ width }) => width > 0)
      for (const box of lines) {
        if (box.left < edges.left - 1 || box.right > edges.right + 1)
          faults.push(`off the side: ${text}`)
        for (let up: Element | null = element; up && up !== dialog; up = up.parentElement) {
          if (getComputedStyle(up).overflow === 'visible') continue
          const frame = up.getBoundingClientRect()
          const out = box.right > frame.right + 1 || box.left < frame.left - 1
          if (out || box.bottom > frame.bottom + 4) faults.push(`cut off: ${text}`)
        }
        for (const other of boxes) {
          const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left)
          // Line boxes are taller than their letters.
          const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top)
          if (across > 2 && down > box.height / 2) faults.push(`${text} lies over ${other.text}`)
        }
      }
      boxes.push(...lines.map((box) => ({ text, box })))
    }
    return [...new Set(faults)]
  })
}

/** Amounts, addresses and hashes whose visual order differs from their logical order. */
export function turnedAround(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const dialog = document
      .querySelector('body > div:last-child')
      ?.shadowRoot?.querySelector('dialog')
    const faults: string[] = []
    for (const block of dialog?.querySelectorAll('h2, h3, p:not(.unseen), dd, dt, .countdown') ??
      []) {
      const letters: { letter: string; left: number; top: number }[] = []
      const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT)
      for (let node = texts.nextNode(); node; node = texts.nextNode()) {
        if (node.parentElement?.closest('.unseen')) continue
        for (const [at, letter] of [...(node.textContent ?? '')].entries()) {
          const range = document.createRange()
          range.setStart(node, at)
          range.setEnd(node, at + 1)
          const { left, top, height } = range.getBoundingClientRect()
          letters.push({ letter, left, top: top + height / 2 })
        }
      }
      const written = letters.map(({ letter }) => letter).join('')
      // Numbers in any script's digits, with or without a token.
      for (const { 0: value, index } of written.matchAll(
        /0x[\da-f…]+|\p{Nd}[\p{Nd}.,٫٬:]*(\s?USDC)?/giu,
      )) {
        const part = letters.slice(index, index + value.length)
        const lines = new Map<number, typeof part>()
        for (const letter of part) {
          const line = Math.round(letter.top / 12)
          lines.set(line, [...(lines.get(line) ?? []), letter])
        }
        const boxes = [...lines.values()].map((line) => line.toSorted((a, b) => a.left - b.left))
        const read = boxes
          .flat()
          .map(({ letter }) => letter)
          .join('')
        // A space at the end of a line has no fixed position.
        if (read.replace(/\s/g, '') !== value.replace(/\s/g, ''))
          faults.push(`${value} reads ${read}`)
      }
    }
    return faults
  })
}
