import { sleep } from '../lib/sleep.ts'
import type { ServiceTransport } from '../service/post.ts'
import { resolveIntent } from '../service/resolveIntent.ts'
import { submitAuthorization } from '../service/submitAuthorization.ts'
import { keepLastWallet } from '../storage/lastWallet.ts'
import { takeTabLock } from '../storage/tabLock.ts'
import { forgetRequests, readRequests, storeRequest } from '../storage/walletRequests.ts'
import { prepareOrder } from '../wallet/prepareOrder.ts'
import { requestWallet } from '../wallet/requestWallet.ts'
import { watchSending } from '../wallet/watchSending.ts'
import type { CheckoutEffect, CheckoutEvent, Work } from './state.ts'

type Outside = {
  serviceTransport: ServiceTransport
  signal: AbortSignal
  dispatch: (event: CheckoutEvent) => void
}

const copiedMs = 2000

/** Effects that also run after closing, since the wallet may still respond. */
const lasting = /^(store|forget)$/

/** Runs effects and dispatches their results. Wallet requests start within the call, since wallets that open a window need the click. */
export function createEffects({
  serviceTransport,
  signal,
  dispatch,
}: Outside): (effect: CheckoutEffect) => void {
  const running = new Map<Work, AbortController>()
  signal.addEventListener('abort', () => {
    for (const work of running.values()) work.abort()
  })

  function begin(work: Work): AbortSignal {
    const controller = new AbortController()
    running.set(work, controller)
    return controller.signal
  }

  return (effect) => {
    if (!signal.aborted || lasting.test(effect.type)) run(effect)
  }

  async function run(effect: CheckoutEffect): Promise<void> {
    switch (effect.type) {
      case 'prepare': {
        const { id, wallet, payment } = effect
        const prepared = await prepareOrder(wallet.provider, payment, {
          signal: begin('attempt'),
          onStep: (step) => dispatch({ type: 'attempt_moved', id, step }),
        })
        return dispatch({ type: 'attempt_prepared', id, prepared })
      }
      case 'take_lock': {
        const { id, intentId } = effect
        const acquired = await takeTabLock(lockName(intentId), signal)
        return dispatch({ type: 'lock_settled', id, acquired, stored: readRequests(intentId) })
      }
      case 'announce_payer': {
        const { id, payer } = effect
        const { outcome } = await resolveIntent(serviceTransport, { payer }, begin('attempt'))
        return dispatch({ type: 'payer_announced', id, credited: outcome === 'resolved' })
      }
      case 'send_request': {
        const { requestId, wallet, order } = effect
        const response = await requestWallet(wallet.provider, order, signal)
        if (/^(signed|sent)$/.test(response.outcome)) keepLastWallet(wallet)
        return dispatch({ type: 'request_settled', requestId, response })
      }
      case 'wake': {
        try {
          await effect.wallet.provider.request({ method: 'eth_requestAccounts' })
        } catch {
          // The request only makes the wallet show its window.
        }
        return
      }
      case 'submit': {
        const { requestId, order, signature } = effect
        if (!order.authorization) return
        const { message } = order.authorization
        const result = await submitAuthorization(
          serviceTransport,
          message,
          signature,
          begin('submit'),
        )
        if (result) dispatch({ type: 'submitted', requestId, result })
        return
      }
      case 'find_requesters': {
        const { intentId, requestIds } = effect
        // Release the lock at once: the effect only tests whether it is free.
        const released = new AbortController()
        const isFree = navigator.locks && (await takeTabLock(lockName(intentId), released.signal))
        released.abort()
        if (isFree) dispatch({ type: 'requesters_closed', requestIds })
        return
      }
      case 'watch': {
        const { requestId, wallet, order, request } = effect
        const sending = { ...request, payer: order.payer }
        const code = await watchSending(wallet.provider, sending, {
          signal: begin('watch'),
          onHash: (txHash) => dispatch({ type: 'hash_learned', requestId, txHash }),
        })
        if (code) dispatch({ type: 'watch_ended', requestId, code })
        return
      }
      case 'store':
        return storeRequest(effect.intentId, effect.request)
      case 'forget':
        return forgetRequests(effect.intentId, effect.requestIds)
      case 'copy': {
        // Fails without a secure context; both values are on the screen and can be selected by hand.
        const { clipboard } = navigator
        const copied = await clipboard?.writeText(effect.text).then(
          () => true,
          () => false,
        )
        if (copied) dispatch({ type: 'copied', field: effect.field })
        return
      }
      case 'clear_copied': {
        const stopped = begin('copied')
        await sleep(copiedMs, stopped)
        if (!stopped.aborted) dispatch({ type: 'copied', field: null })
        return
      }
      case 'stop':
        return running.get(effect.work)?.abort()
    }
  }
}

function lockName(intentId: string): string {
  return `payment-intents:${intentId}`
}
