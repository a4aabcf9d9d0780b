import { forgetRequests, keepRequest, readKept } from './keptRequests.ts'
import type { Ask } from './post.ts'
import { resolveIntent } from './resolve.ts'
import type { CheckoutEffect, CheckoutEvent } from './state.ts'
import { createTabLock } from './tabLock.ts'
import { askWallet } from './wallet/askWallet.ts'
import { prepareOrder } from './wallet/prepareOrder.ts'
import { watchSending } from './wallet/watchSending.ts'

type Outside = {
  ask: Ask
  signal: AbortSignal
  dispatch: (event: CheckoutEvent) => void
}

const copiedMs = 2000

/** Effects that also run after closing, since the wallet may still answer. */
const lasting = /^(keep|forget)$/

/**
 * Runs effects and dispatches their results. A wallet is asked within the call, since wallets that open a
 * window need the click.
 */
export function createEffects({
  ask,
  signal,
  dispatch,
}: Outside): (effect: CheckoutEffect) => void {
  const takeLock = createTabLock(signal)
  let preparing = new AbortController()
  let watching = new AbortController()
  let copiedTimer = 0
  signal.addEventListener('abort', () => {
    preparing.abort()
    watching.abort()
    clearTimeout(copiedTimer)
  })

  return (effect) => {
    if (!signal.aborted || lasting.test(effect.type)) run(effect)
  }

  async function run(effect: CheckoutEffect): Promise<void> {
    switch (effect.type) {
      case 'prepare': {
        const { id, wallet, payment } = effect
        preparing.abort()
        preparing = new AbortController()
        const prepared = await prepareOrder(wallet.provider, payment, {
          signal: preparing.signal,
          onStep: (step) => dispatch({ type: 'attempt_moved', id, step }),
        })
        if (prepared.outcome === 'failed') {
          dispatch({ type: 'attempt_failed', id, problem: prepared.problem })
        }
        if (prepared.outcome === 'ready') {
          dispatch({ type: 'attempt_ready', id, order: prepared.order })
        }
        return
      }
      case 'stop_preparing':
        return preparing.abort()
      case 'take_lock': {
        const { id, intentId } = effect
        const taken = await takeLock(`payment-intents:${intentId}`)
        return dispatch({ type: 'lock_answered', id, taken, kept: readKept(intentId) })
      }
      case 'announce_payer': {
        const { id, payer } = effect
        const { outcome } = await resolveIntent(ask, { payer }, preparing.signal)
        if (outcome === 'resolved') return dispatch({ type: 'payer_announced', id })
        return dispatch({ type: 'attempt_failed', id, problem: { code: 'network_error' } })
      }
      case 'ask': {
        const { requestId, wallet, order } = effect
        const answer = await askWallet(wallet.provider, order, signal)
        return dispatch({ type: 'request_answered', requestId, answer })
      }
      case 'watch': {
        const { requestId, wallet, order, request } = effect
        watching.abort()
        watching = new AbortController()
        const sending = { ...request, payer: order.payer }
        const code = await watchSending(wallet.provider, sending, {
          signal: watching.signal,
          onHash: (txHash) => dispatch({ type: 'hash_learned', requestId, txHash }),
        })
        if (code) dispatch({ type: 'watch_ended', requestId, code })
        return
      }
      case 'stop_watching':
        return watching.abort()
      case 'keep':
        return keepRequest(effect.intentId, effect.request)
      case 'forget':
        return forgetRequests(effect.intentId, (id) => effect.but.includes(id))
      case 'copy': {
        // Fails without a secure context; both values are on the screen and can be selected by hand.
        const { clipboard } = navigator
        const copied = await clipboard?.writeText(effect.text).then(
          () => true,
          () => false,
        )
        if (!copied || signal.aborted) return
        dispatch({ type: 'copied', field: effect.field })
        clearTimeout(copiedTimer)
        copiedTimer = window.setTimeout(() => dispatch({ type: 'copied', field: null }), copiedMs)
      }
    }
  }
}
