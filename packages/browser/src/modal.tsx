import { actionsOf } from './actions.ts'
import { checkoutError } from './errors.ts'
import type { HostedPage } from './hosted/hostedPage.ts'
import { keepHandoff } from './keepHandoff.ts'
import type { Messages } from './locales/en.ts'
import { noticeFor } from './notice.ts'
import type { CheckoutError, CheckoutPayment, OpenServiceModalOptions } from './options.ts'
import { type Ask, post } from './post.ts'
import { onCloseAsked, screen, screenDetail } from './screen.ts'
import { createStore } from './store.ts'
import { App } from './view/App.tsx'
import { createTranslator, plain } from './view/messages.ts'
import { mountDialog } from './view/mountDialog.ts'
import type { View } from './view/view.ts'

/** Has no prototype; a spread would give it one. */
export type ModalOptions = OpenServiceModalOptions & {
  ask: Ask
  /** Messages of a language other than English. */
  messages: Partial<Messages> | null
  /** BCP 47 tag of the chosen language. */
  tag: string
  /** Aborted when the checkout closes; everything started here ends before `abort` returns. */
  signal: AbortSignal
  close: () => void
  onSuccess: (payment: CheckoutPayment) => void
  onPending: (payment: CheckoutPayment) => void
  onError: (error: CheckoutError) => void
}

/**
 * Mounts the modal and connects its state, effects and view.
 *
 * @param page set when the checkout is the whole page, which cannot be closed
 */
export function mountModal(options: ModalOptions, page?: HostedPage): void {
  const { clientSecret, baseUrl, ask, wallets = [], container, nonce, signal, close } = options
  const { theme = 'auto' } = options
  if (signal.aborted) return

  let shown = ''
  let shownSince = 0
  const tag = options.messages || /^en\b/.test(options.tag) ? options.tag : 'en'
  const translator = createTranslator(options.messages, tag)
  const systemDark = matchMedia('(prefers-color-scheme: dark)')
  const askClose = (by: 'button' | 'gesture') => {
    const answer = page ? 'ignore' : onCloseAsked(store.read(), by)
    if (answer === 'close') dialog.leave(close)
    if (answer === 'warn') store.dispatch({ type: 'leave_asked' })
  }
  const dialog = mountDialog({
    ...{ container, nonce, tag, signal },
    onCloseGesture: () => askClose('gesture'),
  })
  const store = createStore({
    ...{ ask, wallets, signal },
    onChange() {
      draw()
      notify()
    },
  })
  const actions = actionsOf(store.dispatch)
  const handOff = keepHandoff({
    ...{ dispatch: store.dispatch, signal },
    request(signal) {
      const { returnUrl } = page ?? {}
      const request = { client_secret: clientSecret, ...(returnUrl && { return_url: returnUrl }) }
      return post(baseUrl, request, signal, 'handoff')
    },
  })
  const coarse = matchMedia('(pointer: coarse)')
  const seePointer = () => store.dispatch({ type: 'pointer_changed', coarse: coarse.matches })
  coarse.addEventListener('change', seePointer, { signal })

  function draw() {
    const state = store.read()
    const next = screen(state)
    const key = next.name + screenDetail(next)
    if (key !== shown) shownSince = Date.now()
    shown = key
    const registered = plain(state.intent?.merchant_name ?? '')
    const called = page ? '' : plain(options.merchantName)
    const merchant = registered || called
    if (page && merchant) document.title = translator.t('dialog', { merchant })
    const view: View = {
      ...translator,
      state,
      baseUrl,
      shown: next,
      theme: theme === 'light' || (theme !== 'dark' && !systemDark.matches) ? 'light' : 'dark',
      merchant,
      called: called === merchant ? '' : called,
      page,
      // A link to the page must not contain the secret.
      link: page || location.href.includes(clientSecret) ? null : location.href,
      now: Date.now() + state.clockOffsetMs,
      waitedMs: Date.now() - shownSince,
      actions,
      askClose: () => askClose('button'),
      close: () => dialog.leave(close),
    }
    dialog.draw(App(view), next.name === 'wallet' && next.wallet.source === 'page')
    page?.drawn(view)
    const { wallets: found, onPhone } = state
    const isSettled = !page || page.returnUrl !== undefined
    handOff(
      isSettled && next.name === 'pay' && (found.length === 0 || (next.rail === 'qr' && !onPhone)),
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
  seePointer()
  draw()
  store.start()
}
