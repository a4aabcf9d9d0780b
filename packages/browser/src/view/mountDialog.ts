import { patch, type VNode } from 'superfine'
import { isRightToLeft } from './messages.ts'
import { mountStyles } from './mountStyles.ts'
import styles from './styles.css?raw'

type Mount = {
  container?: HTMLElement | undefined
  nonce?: string | undefined
  /** BCP 47 tag of the content's language; it sets the direction too. */
  tag: string
  signal: AbortSignal
  /** Esc, the back gesture of a phone, or a press on the backdrop. */
  onCloseGesture: () => void
}

export type MountedDialog = {
  /**
   * Draws a `<dialog>`. `aside` opens it non-modal: a modal one would cover and block a wallet that draws in
   * the page.
   */
  draw: (content: VNode | null, aside: boolean) => void
  /** Whether the page has removed it. */
  isGone: () => boolean
  /** Plays the exit animation, then calls back. */
  leave: (then: () => void) => void
}

/**
 * A modal `<dialog>` in a shadow root that keeps the focus inside. When the signal aborts, it and all its
 * changes to the page are removed.
 */
export function mountDialog({
  container,
  nonce,
  tag,
  signal,
  onCloseGesture,
}: Mount): MountedDialog {
  const host = document.createElement('div')
  host.lang = tag
  host.dir = isRightToLeft(tag) ? 'rtl' : 'ltr'
  const root = host.attachShadow({ mode: 'open' })
  mountStyles(root, styles, nonce)
  const unlock = mountStyles(document, scrollLock(), nonce)
  ;(container ?? document.body).append(host)
  const dialog = document.createElement('dialog')
  root.append(dialog)
  listen(dialog, signal, onCloseGesture)
  let isAside = false

  signal.addEventListener('abort', () => {
    // Closed before it is removed, since closing restores the focus.
    dialog.close()
    host.remove()
    unlock()
  })

  return {
    draw(content, aside) {
      if (content) patch(dialog, content)
      const opens = !dialog.open || aside !== isAside
      if (opens) {
        isAside = aside
        dialog.close()
        if (aside) dialog.show()
        else dialog.showModal()
      }
      // A screen that replaces the focused element takes the focus, at its heading.
      if (opens || (!aside && (!root.activeElement || root.activeElement === dialog))) {
        dialog.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true })
      }
    },
    isGone: () => !host.isConnected,
    leave(then) {
      if (matchMedia('(prefers-reduced-motion: reduce)').matches) return then()
      const out = { opacity: 0, transform: 'translateY(8px)' }
      dialog.animate([{}, out], { duration: 140, easing: 'ease-in' }).finished.then(then, then)
    },
  }
}

function listen(dialog: HTMLDialogElement, signal: AbortSignal, onCloseGesture: () => void) {
  let pressedBackdrop = false
  dialog.addEventListener(
    'click',
    (event) => {
      // The second click of a double click was meant for the previous screen.
      if (event.detail > 1) event.stopImmediatePropagation()
    },
    true,
  )
  dialog.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    // Browsers let a page prevent `cancel` only once in a row; a prevented Escape fires none.
    event.preventDefault()
    onCloseGesture()
  })
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault()
    onCloseGesture()
  })
  dialog.addEventListener('close', () => {
    if (signal.aborted || dialog.open) return
    dialog.showModal()
    onCloseGesture()
  })
  dialog.addEventListener('pointerdown', ({ target }) => {
    pressedBackdrop = target === dialog
  })
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog && pressedBackdrop) onCloseGesture()
  })
}

function scrollLock(): string {
  const scrollbar = window.innerWidth - document.documentElement.clientWidth
  return `html { overflow: hidden !important; padding-inline-end: ${scrollbar}px !important; }`
}
