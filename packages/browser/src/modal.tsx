import { actionsOf } from './checkout/checkoutActions.ts'
import { createStore } from './checkout/checkoutStore.ts'
import { noticeFor } from './checkout/notice.ts'
import { renewHandoff } from './checkout/renewHandoff.ts'
import { closeResponse, type Screen, screen, screenDetail } from './checkout/screen.ts'
import type { CheckoutState } from './checkout/state.ts'
import type { CheckoutError, CheckoutPayment, OpenServiceModalOptions } from './checkoutOptions.ts'
import type { HostedPage } from './hosted/hostedPage.ts'
import type { SharedParts } from './link/sharedParts.ts'
import type { Messages } from './locales/en.ts'
import { checkLook } from './open/checkLook.ts'
import { checkoutError } from './open/checkoutError.ts'
import type { Loaders } from './open/openWith.ts'
import { callService } from './service/callService.ts'
import type { ServiceTransport } from './service/post.ts'
import type { Shell } from './shell/mountShell.ts'
import { App } from './view/App.tsx'
import type { AroundPayment } from './view/aroundPayment.ts'
import { createCheckoutLanguage } from './view/checkoutLanguage.ts'
import { plain } from './view/content/translator.ts'
import { mountDialog } from './view/dialog/mountDialog.ts'
import { Frame } from './view/Frame.tsx'
import { type LoadManualParts, lazyManualParts, type ManualParts } from './view/lazyManualParts.ts'
import { Contact } from './view/parts/Contact.tsx'
import { StatusScreen } from './view/screens/StatusScreen.tsx'
import type { View } from './view/view.ts'
import { discoverWallets } from './wallet/provider/discoverWallets.ts'
import { forgetOpenRequests } from './wallet/provider/requestOnce.ts'

/** Values that the opener passes in addition to the page's options. */
export type ModalParts = {
  serviceTransport: ServiceTransport
  loaders: Omit<Loaders, 'modal' | 'manualParts'> & { manualParts: LoadManualParts }
  languages: readonly string[]
  /** Messages of a language other than English. */
  messages: Partial<Messages> | null
  /** BCP 47 tag of the chosen language. */
  tag: string
  shell: Shell
  /** Aborted when the checkout closes; everything started here ends before `abort` returns. */
  signal: AbortSignal
  close: () => void
  onSuccess: (payment: CheckoutPayment) => void
  onPending: (payment: CheckoutPayment) => void
  onError: (error: CheckoutError) => void
  /** Creates the callbacks for the next payment of the same link, each of which calls the page at most once and never after closing. */
  callbacks: () => Pick<ModalParts, 'onSuccess' | 'onPending' | 'onError'>
  /** Set if the payment is a payment link's. */
  around?: AroundPayment
}

const sharedParts: SharedParts = {
  ...{ mountModal, mountDialog, createCheckoutLanguage, Frame, Contact, StatusScreen },
  ...{ discoverWallets, callService, checkLook, checkoutError },
}

const names: { readonly [Name in keyof OpenServiceModalOptions]-?: 1 } = {
  ...{ clientSecret: 1, paymentLink: 1, merchant: 1, merchantName: 1, baseUrl: 1 },
  ...{ onSuccess: 1, onPending: 1, onError: 1, onClose: 1 },
  ...{ wallets: 1, paymentMethods: 1, appearance: 1, theme: 1, locale: 1, container: 1, nonce: 1 },
}

/**
 * Mounts the modal in its shell and connects its state, effects and view.
 *
 * @param options without a prototype; a spread would add a prototype
 * @param page set when the checkout is the whole page, which cannot be closed
 */
export function mountModal(
  options: OpenServiceModalOptions,
  parts: ModalParts,
  page?: HostedPage,
): unknown {
  const { clientSecret = '-', baseUrl, paymentMethods, wallets = [] } = options
  const { serviceTransport, loaders, shell, signal, close, around } = parts
  if (signal.aborted) return
  // Without a payment, the link's step is drawn first; it calls `mountModal` again once it has created or found the payment.
  if (!options.clientSecret) {
    return loaders
      .link?.(options)
      .then(({ mountLink }) => mountLink(sharedParts)(options, parts, page))
  }
  const loadManualParts = () => loaders.manualParts(baseUrl, signal)
  checkNames(loadManualParts, options, names)
  checkNames(loadManualParts, options.appearance, { logo: 1, labels: 1 }, 'appearance.')
  checkLook(options)

  let shown = ''
  let shownSince = 0
  const language = createCheckoutLanguage({
    ...{ parts, baseUrl, draw },
    more: { ...page?.messages, ...around?.messages },
    // Not `withoutPrototype`, which would be a separate file here.
    labels: { __proto__: null, ...options.appearance?.labels } as object,
  })
  const dialog = mountDialog({
    ...{ shell, signal },
    onCloseRequest(by) {
      const response = page ? 'ignore' : closeResponse(store.read(), by)
      if (response === 'close') dialog.leave(close)
      if (response === 'warn') store.dispatch({ type: 'leave_requested' })
    },
  })
  const store = createStore({
    ...{ serviceTransport, wallets, paymentMethods, signal },
    onChange(state) {
      draw()
      notify(parts, state)
    },
  })
  const actions = actionsOf(store.dispatch)
  const handoff = renewHandoff({
    ...{ serviceTransport, dispatch: store.dispatch, signal },
    request: () => (page?.returnUrl ? { return_url: page.returnUrl } : {}),
  })
  const manualParts = lazyManualParts(loadManualParts, ({ messages, styles }) => {
    language.learn(messages)
    if (styles) shell.mountStyles(shell.host.shadowRoot as ShadowRoot, styles)
    if (!signal.aborted) draw()
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
    const called = page ? '' : plain(options.merchantName)
    const merchant = plain(state.intent?.merchant_name ?? '') || called
    const view: View = {
      ...language.read(),
      state,
      baseUrl,
      shown: next,
      theme: shell.theme(),
      logo: options.appearance?.logo,
      merchant,
      called: called === merchant ? '' : called,
      ...{ page, around },
      // A link to the page must not contain the secret.
      link: page || location.href.includes(clientSecret) ? null : location.href,
      now: Date.now() + state.clockOffsetMs,
      waitedMs: Date.now() - shownSince,
      actions,
      manualParts,
      close: () => dialog.leave(close),
    }
    dialog.draw(App(view), requestedWallet(next))
    page?.drawn(view)
    const { wallets: discovered, onPhone } = state
    const isSettled = !page || page.returnUrl !== undefined
    handoff(
      isSettled &&
        next.name === 'pay' &&
        (discovered.length === 0 || (next.paymentMethod === 'qr' && !onPhone)),
    )
  }

  const restored = ({ persisted }: PageTransitionEvent) => {
    if (!persisted) return
    forgetOpenRequests()
    // The connection to the wallet may be lost: offer at once the help that a waiting payer gets.
    if (screen(store.read()).name === 'wallet') shownSince = 0
    draw()
  }
  window.addEventListener('pageshow', restored, { signal })
  const clock = setInterval(() => {
    if (dialog.isRemoved()) close()
    else draw()
  }, 1000)
  signal.addEventListener('abort', () => clearInterval(clock))
  seePointer()
  draw()
  store.start()
  // Load it while the payment loads: most payers without a wallet here need it next.
  if (store.read().wallets.length === 0) manualParts()
}

function notify(parts: ModalParts, state: CheckoutState): void {
  const notice = noticeFor(state)
  if (!notice) return
  if (notice.name === 'error') parts.onError(checkoutError(notice.code, notice.detail))
  else if (notice.name === 'pending') parts.onPending(notice.payment)
  else parts.onSuccess(notice.payment)
}

type Names = Parameters<ManualParts['warnOfUnknown']>

/** Warns of unknown names. Loads the code for it only if there are any; if that fails, there is no warning. */
function checkNames(load: () => Promise<ManualParts>, ...[options, allowedNames, path]: Names) {
  if (Object.keys({ ...options }).every((name) => name in allowedNames)) return
  load().then(
    ({ warnOfUnknown }) => warnOfUnknown(options, allowedNames, path),
    () => {},
  )
}

/** The place of the wallet that has a request. After the payer went back, it still shows the request. */
function requestedWallet(shown: Screen): 'page' | 'other' | null {
  const wallet = shown.name === 'wallet' || shown.name === 'requested' ? shown.wallet : null
  return wallet && (wallet.source === 'page' ? 'page' : 'other')
}
