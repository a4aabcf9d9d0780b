import type { Shell } from '../../shell/mountShell.ts'

/** Elements that are never visible. */
const unseen = /^(SCRIPT|STYLE|LINK|META|TEMPLATE|NOSCRIPT)$/

/**
 * Calls back when an element appears at the top of the page, or an element there changes and is visible: a wallet may draw in it. Wallets
 * add theirs to the body, or show an element that they added before.
 *
 * @returns a function that stops watching
 */
export function watchPage(
  { host, dialog }: Pick<Shell, 'host' | 'dialog'>,
  onDrawn: (element: Element) => void,
): () => void {
  const observer = new MutationObserver((records) => {
    for (const { type, target, addedNodes } of records) {
      for (const node of type === 'attributes' ? [target] : addedNodes) {
        if (!(node instanceof Element) || node === host || unseen.test(node.tagName)) continue
        if (type === 'childList') watch(node)
        if (isDrawn(node, dialog)) onDrawn(node)
      }
    }
  })
  function watch(element: Element) {
    observer.observe(element, { attributeFilter: ['class', 'style', 'hidden', 'open'] })
  }
  for (const parent of [document.documentElement, document.body]) {
    observer.observe(parent, { childList: true })
    for (const child of parent.children) {
      if (child !== host && child !== document.body && !unseen.test(child.tagName)) watch(child)
    }
  }
  return () => observer.disconnect()
}

/**
 * A modal dialog is above the checkout's without any help. In a shadow root it is not found, but nothing else can have the
 * focus while the checkout is modal.
 */
function isDrawn(element: Element, dialog: HTMLDialogElement): boolean {
  if (element.matches(':modal') || element.querySelector(':modal')) return false
  if (dialog.matches(':modal') && element.contains(document.activeElement)) return false
  return element.checkVisibility?.({ visibilityProperty: true, opacityProperty: true }) ?? true
}
