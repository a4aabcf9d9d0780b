import { make } from './make.ts'

/**
 * Adds styles to a root. A CSP that forbids inline styles allows constructed sheets; a browser without them
 * gets a style element with the page's nonce.
 */
export function mountStyles(root: ShadowRoot | Document, css: string, nonce?: string): () => void {
  try {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
    return () => {
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((other) => other !== sheet)
    }
  } catch {
    const style = make('style', { nonce }, css)
    ;((root as Document).head ?? root).append(style)
    return () => style.remove()
  }
}
