import type { ResolveRequest } from '@payment-intents/contract'
import { amountDue, toDecimal } from './amount.ts'
import type { CheckoutEvent, CheckoutState, CopyField, QrContent, Rail } from './checkout.ts'
import { followIntent } from './followIntent.ts'
import type { WalletOption } from './options.ts'
import type { Intent } from './parseIntent.ts'
import { type ResolveOutcome, resolveIntent } from './resolve.ts'
import { discoverWallets, type Wallet } from './wallet/discoverWallets.ts'
import { payWithWallet, type WalletPayment, type WalletStep } from './wallet/payWithWallet.ts'

export type Actions = {
  /** Must be called in the click itself: the wallet is asked before it returns. */
  pay: (wallet: Wallet) => void
  back: () => void
  chooseRail: (rail: Rail) => void
  chooseQr: (content: QrContent) => void
  copy: (field: CopyField) => void
  stay: () => void
}

type Effects = {
  clientSecret: string
  baseUrl: string
  wallets: readonly WalletOption[]
  signal: AbortSignal
  read: () => CheckoutState
  dispatch: (event: CheckoutEvent) => void
}

const copiedMs = 2000

/**
 * All that reaches outside: `actions` is what the payer can do, and `start` looks for wallets and follows
 * the intent until the signal aborts.
 */
export function createEffects(effects: Effects): { actions: Actions; start: () => void } {
  const { clientSecret, baseUrl, signal, read, dispatch } = effects
  const resolve = (request: Omit<ResolveRequest, 'client_secret'>, signal: AbortSignal) =>
    resolveIntent(baseUrl, { client_secret: clientSecret, ...request }, signal)

  // Invariant: at most one attempt may still ask a wallet for something; this ends it.
  let attempt = new AbortController()
  let attempts = 0
  let copiedTimer = 0
  signal.addEventListener('abort', () => {
    attempt.abort()
    clearTimeout(copiedTimer)
  })

  const actions: Actions = {
    pay(wallet) {
      const { intent } = read()
      if (!intent) return
      attempt.abort()
      attempt = new AbortController()
      attempts += 1
      const id = attempts
      const { signal: attemptSignal } = attempt
      dispatch({ type: 'attempt_started', id, wallet })
      const steps = {
        signal: attemptSignal,
        onStep: (step: WalletStep) => dispatch({ type: 'attempt_moved', id, step }),
        async announce(payer: string) {
          if (intent.manual) return null
          const { outcome } = await resolve({ payer }, attemptSignal)
          return outcome === 'resolved' ? null : { code: 'network_error' as const }
        },
      }
      payWithWallet(wallet.provider, toPayment(intent), steps).then((result) => {
        if (result.outcome === 'sent') {
          dispatch({ type: 'attempt_sent', id, wallet, txHash: result.txHash })
        } else if (result.outcome === 'failed') {
          dispatch({ type: 'attempt_failed', id, problem: result.problem })
        }
      })
    },
    back() {
      attempt.abort()
      dispatch({ type: 'attempt_left' })
    },
    chooseRail: (rail) => dispatch({ type: 'rail_chosen', rail }),
    chooseQr: (content) => dispatch({ type: 'qr_chosen', content }),
    copy(field) {
      const { intent } = read()
      if (!intent) return
      const amount = toDecimal(amountDue(intent), intent.decimals)
      const text = field === 'amount' ? amount : intent.expected_wallet
      // Refused without a secure context; both values stand on the screen to be selected by hand.
      navigator.clipboard?.writeText(text).then(
        () => {
          if (signal.aborted) return
          dispatch({ type: 'copied', field })
          clearTimeout(copiedTimer)
          copiedTimer = window.setTimeout(() => dispatch({ type: 'copied', field: null }), copiedMs)
        },
        () => {},
      )
    },
    stay: () => dispatch({ type: 'stayed' }),
  }

  const start = () => {
    discoverWallets(effects.wallets, signal, (wallets) =>
      dispatch({ type: 'wallets_found', wallets }),
    )
    followIntent({
      resolve,
      signal,
      onOutcome(outcome) {
        if (outcome.outcome === 'resolved' && outcome.intent.status !== 'requires_payment') {
          attempt.abort()
        }
        const event = toEvent(outcome)
        if (event) dispatch(event)
      },
    })
  }
  return { actions, start }
}

function toEvent(outcome: ResolveOutcome): CheckoutEvent | null {
  switch (outcome.outcome) {
    case 'resolved':
      return { type: 'resolved', intent: outcome.intent, receivedAt: Date.now() }
    case 'not_found':
      return { type: 'not_found' }
    case 'interrupted':
      return null
    case 'unreachable':
      return { type: 'unheard', cause: navigator.onLine ? 'unreachable' : 'offline' }
    default:
      return { type: 'unheard', cause: outcome.outcome }
  }
}

function toPayment(intent: Intent): WalletPayment {
  const { network } = intent
  return {
    network: {
      chainId: intent.chain_id,
      name: network.name,
      nativeSymbol: network.native_symbol,
      rpcUrl: network.rpc_url,
      explorerUrl: network.explorer_url,
    },
    token: intent.token_address,
    to: intent.expected_wallet,
    amount: amountDue(intent),
    reference: intent.payment_reference,
  }
}
