/**
 * The script element that is executing. Markup can shadow `document.currentScript` with an element of that
 * name, but not the getter of `Document.prototype`.
 *
 * @see https://html.spec.whatwg.org/multipage/dom.html#dom-document-nameditem
 */
export function runningScript(): HTMLScriptElement | null {
  const property = Object.getOwnPropertyDescriptor(Document.prototype, 'currentScript')
  const script: unknown = property?.get?.call(document)
  return script instanceof HTMLScriptElement ? script : null
}
