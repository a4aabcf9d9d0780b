import type { Shell } from '../../shell/mountShell.ts'

export type PopoverHost = {
  /** Makes the dialog non-modal, and puts it below the elements that a wallet has drawn. Returns whether it was modal. */
  enter: (drawn?: Element) => boolean
  /** Makes it modal. Returns whether it was not. */
  leave: () => boolean
  isEntered: () => boolean
  /** Whether the page has removed the checkout. */
  isRemoved: () => boolean
}

const properties = ['accent', 'on-accent', 'font', 'radius', 'z-index']

/**
 * Takes a dialog out of the browser's top layer, above which no page can draw, and puts it between the page's content and the elements that
 * a wallet draws in it.
 */
export function createPopoverHost({ host, dialog }: Pick<Shell, 'host' | 'dialog'>): PopoverHost {
  const home = host.parentElement ?? document.body
  let isEntered = false

  function enter(drawn?: Element): boolean {
    const opens = !isEntered
    if (opens) {
      isEntered = true
      // The dialog stays in its place, so it must not repeat its entrance.
      dialog.style.animation = 'none'
      dialog.close()
      open()
    }
    if (drawn) goBelow(drawn)
    return opens
  }

  function open() {
    // A modal dialog of the page makes all elements but its descendants inert.
    const modal = [...document.querySelectorAll('dialog')].findLast((candidate) =>
      candidate.matches(':modal'),
    )
    moveTo(modal ?? document.body)
    if (modal && 'popover' in dialog) {
      // In the top layer, where neither the scrolling nor a transform of that dialog reaches it.
      dialog.popover = 'manual'
      dialog.showPopover()
    } else {
      dialog.show()
      goAbovePage()
    }
  }

  /** An ancestor with a transform or a filter would contain `fixed` elements; the page's own style goes along. */
  function moveTo(parent: Element) {
    if (parent === home) return
    const style = getComputedStyle(host)
    for (const property of properties) {
      const name = `--payment-intents-${property}`
      host.style.setProperty(name, style.getPropertyValue(name))
    }
    parent.append(host)
  }

  /** Above the page's content over the dialog, such as a header. Wallets draw later. */
  function goAbovePage() {
    const { left, top, width, height } = dialog.getBoundingClientRect()
    let above = 0
    for (const across of [0.05, 0.5, 0.95]) {
      for (const down of [0.02, 0.25, 0.5, 0.75, 0.98]) {
        for (const element of document.elementsFromPoint(
          left + across * width,
          top + down * height,
        )) {
          if (element === host) break
          above = Math.max(above, levelOf(element))
        }
      }
    }
    setLevel(above)
  }

  function goBelow(drawn: Element) {
    if (Number(dialog.style.zIndex) < levelOf(drawn)) return
    setLevel(levelOf(drawn) - 1)
    if (drawn.parentElement === host.parentElement) drawn.before(host)
  }

  function setLevel(level: number) {
    dialog.style.zIndex = level > 0 ? String(level) : ''
  }

  return {
    enter,
    leave() {
      if (!isEntered) return false
      isEntered = false
      if (dialog.popover) dialog.popover = null
      dialog.close()
      setLevel(0)
      if (host.parentElement !== home) home.append(host)
      for (const property of properties) host.style.removeProperty(`--payment-intents-${property}`)
      if (host.isConnected) dialog.showModal()
      return true
    },
    isEntered: () => isEntered,
    isRemoved: () => !host.isConnected || !home.isConnected,
  }
}

/** The outermost `z-index` above zero of an element and its ancestors. */
function levelOf(element: Element): number {
  let level = 0
  for (let candidate: Element | null = element; candidate; candidate = candidate.parentElement) {
    level = Number(getComputedStyle(candidate).zIndex) || level
  }
  return level
}
