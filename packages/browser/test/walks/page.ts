import { actionsOf } from '../../src/actions.ts'
import { manualDue } from '../../src/amount.ts'
import { screen, screenDetail } from '../../src/screen.ts'
import { createStore } from '../../src/store.ts'
import { createTranslator } from '../../src/view/messages.ts'
import { nearMisses } from '../../src/view/nearMisses.ts'
import { statusContent } from '../../src/view/statusContent.ts'
import type { View } from '../../src/view/view.ts'
import type { Service } from './service.ts'
import type { createWallet } from './wallet.ts'

export type Page = ReturnType<typeof openPage>

/** A tab with the checkout open: the reducer and the effects that are shipped, and what is drawn, as data. */
export function openPage(service: Service, wallet: ReturnType<typeof createWallet>) {
  const closing = new AbortController()
  let isGone = false
  let isClosed = false
  let shownSince = Date.now()
  let key = ''
  const provider = wallet.providerOf(() => isGone)
  const store = createStore({
    ask: service.ask,
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
        shown: screen(state),
        merchant: 'Kiosk',
        called: '',
        theme: 'light',
        page: undefined,
      },
      ...{ link: null, now: Date.now() + state.clockOffsetMs, waitedMs: Date.now() - shownSince },
      ...{ actions, askClose: close, close },
    }
  }

  function close() {
    isClosed = true
    closing.abort()
  }

  return {
    isClosed: () => isClosed,
    close,
    /** Nothing that runs in the page comes to its end. */
    leave() {
      isGone = true
      close()
    },
    screen: () => screen(store.read()),
    /** All that is said on the screen. */
    text() {
      const { shown, state } = view()
      if (shown.name === 'pay') return state.intent ? nearMisses(view(), state.intent) : ''
      const { title, text, more, hint } = statusContent(shown, view())
      return [title, text, more, hint].filter(Boolean).join(' ')
    },
    /** What is offered first: something to press, or a way to pay on the screen that is there for it. */
    primary(): (() => void) | { byHand: number } | null {
      const { shown, state } = view()
      if (shown.name !== 'pay') {
        const [first] = statusContent(shown, view()).actions ?? []
        return first && !first.quiet ? first.run : null
      }
      if (shown.rail === 'qr') return { byHand: Number(manualDue(shown.intent)) }
      const [only] = state.wallets
      return only ? () => actions.pay(only) : null
    },
    back: () => actions.back(),
    changeRail() {
      const { shown } = view()
      if (shown.name !== 'pay') return
      const other = shown.rails.find((rail) => rail !== shown.rail)
      if (other) actions.chooseRail(other)
    },
  }
}
