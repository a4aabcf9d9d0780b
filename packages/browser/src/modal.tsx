import { actionsOf } from './actions.ts'
import { checkoutError } from './errors.ts'
import type { Messages } from './locales/en.ts'
import { noticeFor } from './notice.ts'
import type { CheckoutError, CheckoutPayment, OpenServiceModalOptions } from './options.ts'
import type { Ask } from './post.ts'
import { onCloseAsked, screen, screenDetail } from './screen.ts'
import { createStore } from './store.ts'
import { App } from './view/App.tsx'
import { mountDialog } from './view/mountDialog.ts'
import { plain, wordsOf } from './view/words.ts'
import { isOwn } from './wallet/discoverWallets.ts'

export type ModalOptions = Omit<OpenServiceModalOptions, 'baseUrl'> & {
  ask: Ask
  /** What is said in another language than English. */
  words: Partial<Messages> | null
  /** BCP 47 tag of the language that is spoken. */
  tag: string
  /** It is the page itself, which there is no closing; `linkless` when it was loaded without a secret. */
  page?: 'opened' | 'linkless'
  /** Aborted when the checkout closes; everything started here then ends, before `abort` returns. */
  signal: AbortSignal
  close: () => void
  onSuccess: (payment: CheckoutPayment) => void
  onPending: (payment: CheckoutPayment) => void
  onError: (error: CheckoutError) => void
}

/** Puts the modal in the page and runs it: state, effects and view meet here and nowhere else. */
export function mountModal(options: ModalOptions): void {
  const { clientSecret, signal, close, page, theme = 'auto' } = options
  if (signal.aborted) return

  let shown = ''
  let shownSince = 0
  const tag = options.words || /^en\b/.test(options.tag) ? options.tag : 'en'
  const words = wordsOf(options.words, tag)
  const systemDark = matchMedia('(prefers-color-scheme: dark)')
  const askClose = (by: 'button' | 'gesture') => {
    const answer = page ? 'ignore' : onCloseAsked(store.read(), by)
    if (answer === 'close') dialog.leave(close)
    if (answer === 'warn') store.dispatch({ type: 'leave_asked' })
  }
  const dialog = mountDialog({ ...options, tag, onCloseGesture: () => askClose('gesture') })
  const store = createStore({
    ...options,
    wallets: options.wallets ?? [],
    onChange() {
      draw()
      notify()
    },
  })
  const actions = actionsOf(store.dispatch)

  function draw() {
    const state = store.read()
    const next = screen(state)
    const key = next.name + screenDetail(next)
    if (key !== shown) shownSince = Date.now()
    shown = key
    const merchant = plain(page ? (state.intent?.merchant_name ?? '') : options.merchantName)
    if (page && merchant) document.title = words.say('dialog', { merchant })
    dialog.draw(
      App({
        ...words,
        state,
        shown: next,
        theme: theme === 'light' || (theme !== 'dark' && !systemDark.matches) ? 'light' : 'dark',
        merchant,
        page,
        // A link to the page must not take the secret along.
        link: page || location.href.includes(clientSecret) ? null : location.href,
        now: Date.now() + state.clockOffsetMs,
        waitedMs: Date.now() - shownSince,
        actions,
        askClose: () => askClose('button'),
        close: () => dialog.leave(close),
      }),
      next.name === 'wallet' && isOwn(next.wallet),
    )
  }

  function notify() {
    const notice = noticeFor(store.read())
    if (notice?.name === 'success') options.onSuccess(notice.payment)
    if (notice?.name === 'pending') options.onPending(notice.payment)
    if (notice?.name === 'error') options.onError(checkoutError(notice.code, notice.detail))
  }

  const clock = setInterval(() => {
    if (dialog.isGone()) close()
    else draw()
  }, 1000)
  signal.addEventListener('abort', () => clearInterval(clock))
  draw()
  store.start()
}
