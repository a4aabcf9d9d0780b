import type { Shell } from '../../shell/mountShell.ts'
import { type CloseBy, listenForClose } from '../parts/listenForClose.ts'
import { patch, type VNode } from '../parts/patch.ts'
import styles from '../styles.css?raw'
import { createPopoverHost } from './createPopoverHost.ts'
import { watchPage } from './watchPage.ts'

/** The wallet with the request: a wallet of the page may draw in it, others mostly have their own window. */
type PromptPlace = 'page' | 'other' | null

type Mount = { shell: Shell; signal: AbortSignal; onCloseRequest: (by: CloseBy) => void }

export type MountedDialog = {
  draw: (content: VNode | null, promptPlace: PromptPlace) => void
  /** Whether the page has removed it. */
  isRemoved: () => boolean
  /** Plays the exit animation, then calls back. */
  leave: (then: () => void) => void
}

/** Draws into the dialog of the shell. It is modal, so that the focus stays inside, except while a wallet draws in the page. */
export function mountDialog({ shell, signal, onCloseRequest }: Mount): MountedDialog {
  const { host, dialog, closer, mountStyles } = shell
  // In builds of one script, the shell's styles include them.
  if (styles) signal.addEventListener('abort', mountStyles(host.shadowRoot as ShadowRoot, styles))
  signal.addEventListener('abort', mountStyles(document, scrollLock()))
  dialog.onclose = closer.onclick = null
  listenForClose(dialog, signal, onCloseRequest)
  const popoverHost = createPopoverHost(shell)
  let stopWatching: (() => void) | null = null
  let resizing: Animation | undefined

  /** Returns whether the dialog opened again. */
  function place(promptPlace: PromptPlace): boolean {
    if (!promptPlace) {
      stopWatching?.()
      stopWatching = null
      return popoverHost.leave()
    }
    stopWatching ??= watchPage(shell, popoverHost.enter)
    return promptPlace === 'page' && popoverHost.enter()
  }

  signal.addEventListener('abort', () => stopWatching?.())

  /** Lets the sheet grow or shrink to its new height. */
  function resize(sheet: HTMLElement, before: number) {
    resizing?.cancel()
    const after = sheet.offsetHeight
    if (!before || before === after || prefersNoMotion()) return
    const heights = [before, after].map((height) => ({ height: `${height}px`, overflow: 'clip' }))
    resizing = sheet.animate(heights, { duration: 200, easing: 'ease-out' })
  }

  return {
    draw(content, promptPlace) {
      const sheet = dialog.firstElementChild as HTMLElement
      const before = sheet.offsetHeight
      if (content) patch(dialog, content)
      resize(sheet, before)
      const isNew = place(promptPlace) || !dialog.open
      if (!dialog.open && !dialog.popover) dialog.showModal()
      const focused = (host.shadowRoot as ShadowRoot).activeElement
      // A screen that replaces the focused element takes the focus, at its heading.
      if (isNew || (!popoverHost.isEntered() && (!focused || focused === dialog))) {
        dialog.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true })
      }
    },
    isRemoved: () => popoverHost.isRemoved(),
    leave(then) {
      if (prefersNoMotion()) return then()
      const out = { opacity: 0, transform: 'translateY(8px)' }
      dialog.animate([{}, out], { duration: 140, easing: 'ease-in' }).finished.then(then, then)
    },
  }
}

function prefersNoMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

function scrollLock(): string {
  const scrollbar = window.innerWidth - document.documentElement.clientWidth
  return `html { overflow: hidden !important; padding-inline-end: ${scrollbar}px !important; }`
}
