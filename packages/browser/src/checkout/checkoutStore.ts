import type { CheckoutPaymentMethod, WalletOption } from '../checkoutOptions.ts'
import type { ServiceTransport } from '../service/post.ts'
import type { ResolveOutcome } from '../service/resolveIntent.ts'
import { lastWalletFirst } from '../storage/lastWallet.ts'
import { onRequestsChange, readRequests } from '../storage/walletRequests.ts'
import { discoverWallets } from '../wallet/provider/discoverWallets.ts'
import { reduce } from './checkout.ts'
import { createEffects } from './effects.ts'
import { followIntent } from './followIntent.ts'
import { needsAmount } from './screen.ts'
import { type CheckoutEvent, type CheckoutState, initialState } from './state.ts'

type Options = {
  serviceTransport: ServiceTransport
  wallets: readonly WalletOption[]
  paymentMethods?: readonly CheckoutPaymentMethod[] | undefined
  signal: AbortSignal
  /** Called after each change, until the signal aborts. */
  onChange: (state: CheckoutState) => void
}

export type Store = {
  read: () => CheckoutState
  /** Runs the effects before it returns. */
  dispatch: (event: CheckoutEvent) => void
  /** Looks for wallets, and follows the intent until the signal aborts. */
  start: () => void
}

/** The reducer, its effects, and the sources of its events. */
export function createStore({
  serviceTransport,
  wallets,
  paymentMethods,
  signal,
  onChange,
}: Options): Store {
  let state: CheckoutState = { ...initialState, methodOrder: paymentMethods ?? null }
  const events: CheckoutEvent[] = []
  let poll = () => {}
  let isBusy = false
  const run = createEffects({ serviceTransport, signal, dispatch })
  signal.addEventListener('abort', () => dispatch({ type: 'closed' }))

  function dispatch(event: CheckoutEvent) {
    events.push(event)
    // Dispatched by an effect, which finishes first.
    if (isBusy) return
    isBusy = true
    const needed = needsAmount(state)
    for (let next = events.shift(); next; next = events.shift()) {
      const { state: reached, effects } = reduce(state, next, Date.now())
      state = reached
      // Drawn first, so that a wallet that draws in the page sets the focus last.
      if (!signal.aborted) onChange(state)
      for (const effect of effects) run(effect)
    }
    isBusy = false
    if (!needed && needsAmount(state)) poll()
  }

  return {
    read: () => state,
    dispatch,
    start() {
      discoverWallets(wallets, signal, (discovered) =>
        dispatch({ type: 'wallets_found', wallets: lastWalletFirst(discovered) }),
      )
      onRequestsChange(signal, (id) => {
        if (id === state.intent?.id)
          dispatch({ type: 'requests_changed', stored: readRequests(id) })
      })
      poll = followIntent({
        ...{ serviceTransport, signal, reserves: () => needsAmount(state) },
        onOutcome(outcome, reserved) {
          const event = toEvent(outcome, reserved)
          if (event) dispatch(event)
        },
      })
    },
  }
}

function toEvent(outcome: ResolveOutcome, reserved: boolean): CheckoutEvent | null {
  switch (outcome.outcome) {
    case 'resolved': {
      const { intent } = outcome
      return { type: 'resolved', intent, stored: readRequests(intent.id), reserved }
    }
    case 'not_found':
    case 'unknown_token':
      return { type: outcome.outcome }
    case 'interrupted':
      return null
    case 'unreachable':
      return { type: 'poll_failed', cause: navigator.onLine ? 'unreachable' : 'offline' }
    default:
      return { type: 'poll_failed', cause: outcome.outcome }
  }
}
