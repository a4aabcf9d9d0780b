import type { WalletOption } from '../checkoutOptions.ts'
import { sleep } from '../lib/sleep.ts'
import { findAccount } from './findAccount.ts'
import { type LinkOutcome, payLink, resolveLink } from './linkRequests.ts'
import { initialLinkState, type LinkState, linkScreen } from './linkState.ts'
import { newVisitor, visitorOf } from './visitor.ts'

type Options = {
  baseUrl: string
  id: string
  /** The merchant whose link it has to be. */
  merchant: string | undefined
  wallets: readonly WalletOption[]
  signal: AbortSignal
  /** BCP 47 tag of the locale in which the payer types amounts. */
  tag: () => string
  onChange: () => void
  /** Called with the client secret of a payment that the visitor has, or has just created. */
  onPayment: (clientSecret: string) => void
}

export type LinkStore = {
  read: () => LinkState
  change: (changes: Partial<LinkState>) => void
  /** Requests the link until the service responds; `opens`: also opens the visitor's payment, if there is one. */
  resolve: (opens: 'payment' | 'step') => Promise<void>
  pay: () => Promise<void>
  retry: () => void
  /** Looks for a connected account, whose balances decide which network is offered first. */
  findBalances: (signal: AbortSignal) => void
}

const slowestRetryMs = 8_000

/** The state of a payment link, and the requests that load it. */
export function createLinkStore(options: Options): LinkStore {
  const { baseUrl, id, signal, onChange, onPayment } = options
  const ofMerchant = options.merchant === undefined ? {} : { merchant: options.merchant }
  let state = initialLinkState
  let account: string | undefined
  let pause = new AbortController()

  function change(changes: Partial<LinkState>) {
    state = { ...state, ...changes }
    if (!signal.aborted) onChange()
  }

  async function resolve(opens: 'payment' | 'step') {
    for (let tries = 1; !signal.aborted; tries += 1) {
      const outcome = await resolveOnce()
      if (signal.aborted) return
      if (outcome.outcome !== 'failed') return take(outcome, opens)
      const { cause, retryAfterMs } = outcome
      change({ outage: { cause, tries } })
      pause = new AbortController()
      window.addEventListener('online', retry, { once: true, signal })
      await sleep(Math.max(retryAfterMs, Math.min(slowestRetryMs, 500 * 2 ** tries)), either())
    }
  }

  /** A pause ends when the payer retries, and when the checkout closes. */
  function either(): AbortSignal {
    signal.addEventListener('abort', retry, { once: true })
    return pause.signal
  }

  function resolveOnce(): Promise<LinkOutcome> {
    const visitor = visitorOf(id)
    const request = {
      ...{ id, ...ofMerchant },
      ...(visitor ? { visitor } : {}),
      ...(account ? { payer: account as `0x${string}` } : {}),
    }
    return resolveLink(baseUrl, request, signal)
  }

  function take(outcome: Exclude<LinkOutcome, { outcome: 'failed' }>, opens: 'payment' | 'step') {
    if (outcome.outcome === 'not_found') return change({ isMissing: true, outage: null })
    const { link } = outcome
    state = { ...state, link, outage: null, isMissing: false, isPaying: false }
    if (opens === 'payment' && link.payment) return onPayment(link.payment.client_secret)
    change({})
  }

  async function pay() {
    const shown = linkScreen(state, options.tag())
    if (shown.name !== 'open' || state.isPaying || Date.now() < state.refusedUntil) return
    const { units, network, link } = shown
    if (typeof units === 'string') return change({ isChecked: true, refusal: null })
    if (!network) return change({ refusal: 'no_wallet' })
    change({ isChecked: true, isPaying: true, refusal: null })
    const visitor = visitorOf(id) ?? newVisitor(id)
    const amount = link.amount_units === null ? { amount_units: Number(units) } : {}
    const request = { ...{ id, visitor, chain: network.chain }, ...amount, ...ofMerchant }
    const outcome = await payLink(baseUrl, request, signal)
    if (signal.aborted) return
    switch (outcome.outcome) {
      case 'created':
        return onPayment(outcome.clientSecret)
      case 'in_flight':
        return resolve('payment')
      case 'closed':
        return resolve('payment')
      case 'not_found':
        return change({ isPaying: false, isMissing: true })
      case 'no_wallet':
        return change({ isPaying: false, refusal: 'no_wallet' })
      case 'failed': {
        const { cause, retryAfterMs } = outcome
        const refusedUntil = cause === 'rate_limited' ? Date.now() + retryAfterMs : 0
        return change({ isPaying: false, refusal: cause, refusedUntil })
      }
    }
  }

  function retry() {
    pause.abort()
  }

  return {
    ...{ change, resolve, pay, retry },
    read: () => state,
    findBalances(until) {
      findAccount(options.wallets, until, async (payer) => {
        account = payer
        const outcome = await resolveOnce()
        if (until.aborted || outcome.outcome !== 'resolved') return
        change({ link: outcome.link })
      })
    },
  }
}
