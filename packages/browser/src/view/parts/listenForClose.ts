/** Esc, the back gesture of a phone and a press on the backdrop are gestures. */
export type CloseBy = 'button' | 'gesture'

/** Reports how the payer tries to close a dialog. */
export function listenForClose(
  dialog: HTMLDialogElement,
  signal: AbortSignal,
  onCloseRequest: (by: CloseBy) => void,
): void {
  let pressedBackdrop = false
  const on = <Type extends keyof HTMLElementEventMap>(
    type: Type,
    listener: (event: HTMLElementEventMap[Type]) => void,
    capture = false,
  ) => dialog.addEventListener(type, listener, { capture, signal })
  on(
    'click',
    (event) => {
      // The second click of a double click was meant for the previous screen, or for the page.
      if (event.detail > 1) event.stopImmediatePropagation()
    },
    true,
  )
  on('keydown', (event) => {
    if (event.key !== 'Escape') return
    // Browsers let a page prevent `cancel` only once in a row; a prevented Escape fires none.
    event.preventDefault()
    onCloseRequest('gesture')
  })
  on('cancel', (event) => {
    event.preventDefault()
    onCloseRequest('gesture')
  })
  on('close', () => {
    if (signal.aborted || dialog.open || dialog.popover) return
    dialog.showModal()
    onCloseRequest('gesture')
  })
  on('pointerdown', ({ target }) => {
    pressedBackdrop = target === dialog
  })
  on('click', ({ target }) => {
    if (target === dialog && pressedBackdrop) onCloseRequest('gesture')
    if ((target as Element).closest('.close')) onCloseRequest('button')
  })
}
