import { amountDue, toDecimal } from './amount.ts'
import type { CheckoutEvent, CheckoutState, CopyField, QrContent, Rail } from './checkout.ts'
import { followIntent } from './followIntent.ts'
import type { WalletOption } from './options.ts'
import type { Intent } from './parseIntent.ts'
import type { Ask } from './post.ts'
import { type ResolveOutcome, resolveIntent } from './resolve.ts'
import { forgetSent, onSentElsewhere, recallSent, rememberSent } from './sentMemory.ts'
import { createTurn } from './turn.ts'
import { discoverWallets, type Wallet } from './wallet/discoverWallets.ts'
import { payWithWallet, toPayment } from './wallet/payWithWallet.ts'
import { watchSending } from './wallet/watchSending.ts'

export type Actions = {
  /** Must be called in the click itself: the wallet is asked before it returns. */
  pay: (wallet: Wallet) => void
  back: () => void
  /** Pays again, though what was sent may still arrive. */
  insist: () => void
  chooseRail: (rail: Rail) => void
  chooseQr: (content: QrContent) => void
  copy: (field: CopyField) => void
  stay: () => void
}

type Effects = {
  ask: Ask
  wallets: readonly WalletOption[]
  signal: AbortSignal
  read: () => CheckoutState
  dispatch: (event: CheckoutEvent) => void
}

const copiedMs = 2000

/** Requests that a wallet has not answered, in whatever checkout of this window; `id` is the intent's. */
const unanswered = new Set<{ readonly id: string }>()

/**
 * All that reaches outside: `actions` is what the payer can do, and `start` looks for wallets and follows
 * the intent until the signal aborts.
 */
export function createEffects(effects: Effects): { actions: Actions; start: () => void } {
  const { ask, signal, read, dispatch } = effects
  const takeTurn = createTurn(signal)

  // Invariant: at most one attempt may still ask a wallet for something; this ends it.
  let attempt = new AbortController()
  // Ends looking after what was sent.
  let sending = new AbortController()
  let attempts = 0
  let copiedTimer = 0
  signal.addEventListener('abort', () => {
    attempt.abort()
    sending.abort()
    clearTimeout(copiedTimer)
  })

  async function pay(wallet: Wallet) {
    const { intent, attempt: last } = read()
    if (!intent || isOver(intent)) return
    const knows = last?.step === 'failed' && last.problem.code === 'request_pending'
    attempt.abort()
    attempt = new AbortController()
    const { signal: asking } = attempt
    attempts += 1
    const id = attempts
    const request = { id: intent.id }
    dispatch({ type: 'attempt_started', id, wallet })
    const result = await payWithWallet(wallet.provider, toPayment(intent), {
      signal: asking,
      onStep(step) {
        if (step === 'confirming') unanswered.add(request)
        dispatch({ type: 'attempt_moved', id, step })
      },
      async admit(payer) {
        if (!(await takeTurn(`payment-intents:${intent.id}`)))
          return { code: 'request_pending', otherTab: true }
        // Approved meanwhile, in a checkout of this window that was closed: no event tells of that.
        if (resume()) return null
        // Whoever was told of it may have a wallet ask once more.
        if (!knows && [...unanswered].some(({ id }) => id === intent.id))
          return { code: 'request_pending' }
        if (!intent.manual) {
          const { outcome } = await resolveIntent(ask, { payer }, asking)
          if (outcome !== 'resolved') return { code: 'network_error' }
        }
        if (isOver(intent)) actions.back()
        return null
      },
    })
    unanswered.delete(request)
    if (result.outcome === 'abandoned') return
    if (result.outcome === 'failed') {
      return dispatch({ type: 'attempt_failed', id, problem: result.problem })
    }
    attempt.abort()
    const seen = read().intent
    if (!seen || !isSeen(seen)) rememberSent(intent, result.sending.txHash)
    const { txHash } = result.sending
    dispatch({ type: 'attempt_sent', id, wallet, how: result.outcome, txHash })
    sending.abort()
    sending = new AbortController()
    if (signal.aborted || read().intent?.status !== 'requires_payment') return
    const code = await watchSending(wallet.provider, result.sending, {
      signal: sending.signal,
      onHash(txHash) {
        rememberSent(intent, txHash)
        dispatch({ type: 'hash_learned', id, txHash })
      },
    })
    if (!code) return
    forgetSent(intent)
    dispatch({ type: 'attempt_lost', id, problem: { code } })
  }

  /** By the service's clock, that of the chain decides in the end. */
  function isOver({ expires_at }: Intent): boolean {
    return Date.now() + read().clockOffsetMs >= Date.parse(expires_at)
  }

  /** Comes back to what was sent before this page was loaded, or elsewhere. @returns whether there is such */
  function resume(): boolean {
    const { intent, attempt: known } = read()
    const sent = intent && !isSeen(intent) && recallSent(intent)
    if (!sent || known?.step === 'sent') return false
    attempt.abort()
    dispatch({ type: 'attempt_sent', id: 0, wallet: null, how: 'resumed', txHash: sent.txHash })
    return true
  }

  function hear(outcome: ResolveOutcome) {
    const before = read().intent
    const event = toEvent(outcome)
    if (event) dispatch(event)
    const { intent } = read()
    if (!intent || outcome.outcome !== 'resolved') return
    if (!before) resume()
    else if (amountDue(before) !== amountDue(intent)) attempt.abort()
    if (intent.status === 'requires_payment') return
    attempt.abort()
    sending.abort()
    if (isSeen(intent)) forgetSent(intent)
  }

  const actions: Actions = {
    pay,
    back() {
      attempt.abort()
      dispatch({ type: 'attempt_left' })
    },
    insist() {
      const { intent } = read()
      if (intent) forgetSent(intent)
      sending.abort()
      dispatch({ type: 'insisted' })
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
    onSentElsewhere(signal, resume)
    followIntent({
      resolve: (request, signal) => resolveIntent(ask, request, signal),
      signal,
      onOutcome: hear,
    })
  }
  return { actions, start }
}

/** Whether the service knows of the payment; money may be under way to an intent that has ended without. */
function isSeen({ status }: Intent): boolean {
  return status === 'pending_confirmations' || status === 'succeeded'
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
