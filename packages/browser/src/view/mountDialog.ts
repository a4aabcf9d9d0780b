import { patch, type VNode } from 'superfine'
import { mountStyles } from './mountStyles.ts'
import styles from './styles.css?raw'
import { isRightToLeft } from './words.ts'

type Mount = {
  container?: HTMLElement | undefined
  nonce?: string | undefined
  /** BCP 47 tag of the language of what is drawn; its direction comes with it. */
  tag: string
  signal: AbortSignal
  /** Esc, the back gesture of a phone, or a press on the backdrop. */
  onCloseGesture: () => void
}

export type MountedDialog = {
  /**
   * Takes a `<dialog>`. `aside` lets the page be used meanwhile: a wallet that draws in the page itself could be
   * neither seen nor pressed beneath a modal one.
   */
  draw: (content: VNode | null, aside: boolean) => void
  /** The page has taken it out, with what it stood in. */
  isGone: () => boolean
  /** Plays the way out, then calls back. */
  leave: (then: () => void) => void
}

/**
 * A modal `<dialog>` in a shadow root. Draws what it is given, keeps the focus inside, and is gone with
 * all that it changed in the page when the signal aborts.
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
    // Closed before it is removed: that is what gives the focus back to where it was.
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
      // A screen that takes the place of the one with the focus takes the focus too, at its heading.
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
      // The second click of a double click was meant for the screen before.
      if (event.detail > 1) event.stopImmediatePropagation()
    },
    true,
  )
  dialog.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    // Browsers let a page refuse `cancel` only once in a row; a key that is taken never becomes one.
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
