/**
 * The element of the script that runs now, while it runs for the first time. `document.currentScript` may be any
 * element that the page's markup names so; the getter of `Document.prototype` is not in reach of markup.
 *
 * @see https://html.spec.whatwg.org/multipage/dom.html#dom-document-nameditem
 */
export function runningScript(): HTMLScriptElement | null {
  const property = Object.getOwnPropertyDescriptor(Document.prototype, 'currentScript')
  const script: unknown = property?.get?.call(document)
  return script instanceof HTMLScriptElement ? script : null
}
