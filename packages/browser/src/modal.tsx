import { type CheckoutEvent, initialState, reduce } from './checkout.ts'
import { createEffects } from './effects.ts'
import { checkoutError } from './errors.ts'
import { loadMessages } from './locales/loadMessages.ts'
import { noticeFor } from './notice.ts'
import type { CheckoutError, CheckoutPayment, OpenServiceModalOptions } from './options.ts'
import { onCloseAsked } from './screen.ts'
import { App } from './view/App.tsx'
import { mountDialog } from './view/mountDialog.ts'
import { wordsOf } from './view/view.ts'

export type ModalOptions = OpenServiceModalOptions & {
  /** Aborted when the checkout closes; everything started here then ends, before `abort` returns. */
  signal: AbortSignal
  close: () => void
  onSuccess: (payment: CheckoutPayment) => void
  onPending: (payment: CheckoutPayment) => void
  onError: (error: CheckoutError) => void
}

/** Puts the modal in the page and runs it: state, effects and view meet here and nowhere else. */
export async function mountModal(options: ModalOptions): Promise<void> {
  const { signal, close, merchantName, theme = 'auto' } = options
  const locale = await loadMessages(options.locale ?? navigator.language)
  if (signal.aborted) return

  let state = initialState
  const words = wordsOf(locale)
  const systemDark = matchMedia('(prefers-color-scheme: dark)')
  const askClose = (by: 'button' | 'gesture') => {
    const answer = onCloseAsked(state, by)
    if (answer === 'close') dialog.leave(close)
    if (answer === 'warn') dispatch({ type: 'leave_asked' })
  }
  const dialog = mountDialog({
    ...options,
    lang: locale.tag,
    onCloseGesture: () => askClose('gesture'),
  })
  const { actions, start } = createEffects({
    ...options,
    wallets: options.wallets ?? [],
    read: () => state,
    dispatch,
  })

  function dispatch(event: CheckoutEvent) {
    if (signal.aborted) return
    state = reduce(state, event)
    draw()
    notify()
  }

  function draw() {
    dialog.draw(
      App({
        ...words,
        state,
        theme: theme === 'auto' ? (systemDark.matches ? 'dark' : 'light') : theme,
        merchant: merchantName,
        now: Date.now() + state.clockOffsetMs,
        actions,
        askClose: () => askClose('button'),
        close: () => dialog.leave(close),
      }),
    )
  }

  function notify() {
    const notice = noticeFor(state)
    if (notice?.name === 'success') options.onSuccess(notice.payment)
    if (notice?.name === 'pending') options.onPending(notice.payment)
    if (notice?.name === 'error') options.onError(checkoutError(notice.code))
  }

  const clock = setInterval(draw, 1000)
  signal.addEventListener('abort', () => clearInterval(clock))
  draw()
  start()
}
