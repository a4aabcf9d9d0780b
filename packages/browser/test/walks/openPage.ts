import { actionsOf } from '../../src/checkout/checkoutActions.ts'
import { createStore } from '../../src/checkout/checkoutStore.ts'
import { screen, screenDetail } from '../../src/checkout/screen.ts'
import { manualDue } from '../../src/lib/amount.ts'
import { statusContent } from '../../src/view/content/statusContent.ts'
import { createTranslator } from '../../src/view/content/translator.ts'
import * as manualParts from '../../src/view/manualParts.ts'
import type { View } from '../../src/view/view.ts'
import type { Service } from './walkService.ts'
import type { createWallet } from './wallet.ts'

export type Page = ReturnType<typeof openPage>

/** A tab with the checkout open: the shipped reducer and effects, with the screen as data. */
export function openPage(service: Service, wallet: ReturnType<typeof createWallet>) {
  const closing = new AbortController()
  let isUnloaded = false
  let isClosed = false
  let shownSince = Date.now()
  let key = ''
  const provider = wallet.providerOf(() => isUnloaded)
  const store = createStore({
    serviceTransport: service.sendToService,
    wallets: [{ name: 'Wallet', provider }],
    signal: closing.signal,
    onChange() {
      const shown = screen(store.read())
      if (key !== shown.name + screenDetail(shown)) shownSince = Date.now()
      key = shown.name + screenDetail(shown)
    },
  })
  const actions = actionsOf(store.dispatch)
  store.start()

  function view(): View {
    const state = store.read()
    return {
      ...createTranslator(null, 'en'),
      ...{
        state,
        baseUrl: 'http://127.0.0.1',
        shown: screen(state),
        merchant: 'Kiosk',
        called: '',
        theme: 'light',
        logo: undefined,
        page: undefined,
        around: undefined,
      },
      ...{ link: null, now: Date.now() + state.clockOffsetMs, waitedMs: Date.now() - shownSince },
      ...{ actions, manualParts: () => manualParts, qr: () => null, close },
      ...{ language: 'en', languages: ['en'], chooseLanguage: async () => 'en' },
    }
  }

  function close() {
    isClosed = true
    closing.abort()
  }

  return {
    isClosed: () => isClosed,
    close,
    /** Ends the page; its pending calls never finish. */
    leave() {
      isUnloaded = true
      close()
    },
    screen: () => screen(store.read()),
    hasOutage: () => store.read().outage !== null,
    /** All text on the screen. */
    text() {
      const { shown } = view()
      if (shown.name === 'pay') return ''
      const { title, text, more, hint } = statusContent(shown, view())
      return [title, text, more, hint].filter(Boolean).join(' ')
    },
    /** The primary action: a button, or a payment by hand. */
    primary(): (() => void) | { byHand: number } | null {
      const { shown, state } = view()
      if (shown.name !== 'pay') {
        const [first] = statusContent(shown, view()).actions ?? []
        return first && !first.quiet ? first.run : null
      }
      if (shown.paymentMethod === 'qr') return { byHand: Number(manualDue(shown.intent)) }
      const [only] = state.wallets
      return only ? () => actions.pay(only) : null
    },
    /** Whether a signature may come, or is not submitted yet. */
    signs() {
      const shown = screen(store.read())
      if (shown.name === 'sent') return shown.source === 'signed'
      return shown.name === 'wallet' && shown.order?.authorization != null
    },
    back: () => actions.back(),
    /** Sends a transfer instead of the requested signature, once the screen offers it. */
    sendInstead() {
      const { shown } = view()
      if (shown.name === 'pay') return
      const offered = statusContent(shown, view()).actions ?? []
      offered.find(({ label }) => label.includes('network fee instead'))?.run()
    },
    isByHand() {
      const { shown } = view()
      return shown.name === 'pay' && shown.paymentMethod === 'qr'
    },
    switchPaymentMethod() {
      const { shown } = view()
      if (shown.name !== 'pay') return
      const other = shown.availableMethods.find(
        (paymentMethod) => paymentMethod !== shown.paymentMethod,
      )
      if (other) actions.choosePaymentMethod(other)
    },
  }
}
