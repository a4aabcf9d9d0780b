import { sleep } from '../lib/sleep.ts'
import { handIn } from '../service/handIn.ts'
import type { Ask } from '../service/post.ts'
import { resolveIntent } from '../service/resolve.ts'
import { forgetRequests, keepRequest, readKept } from '../storage/keptRequests.ts'
import { keepLastWallet } from '../storage/lastWallet.ts'
import { takeTabLock } from '../storage/tabLock.ts'
import { askWallet } from '../wallet/askWallet.ts'
import { prepareOrder } from '../wallet/prepareOrder.ts'
import { watchSending } from '../wallet/watchSending.ts'
import type { CheckoutEffect, CheckoutEvent, Work } from './state.ts'

type Outside = {
  ask: Ask
  signal: AbortSignal
  dispatch: (event: CheckoutEvent) => void
}

const copiedMs = 2000

/** Effects that also run after closing, since the wallet may still respond. */
const lasting = /^(keep|forget)$/

/** Runs effects and dispatches their results. Wallet requests start within the call, since wallets that open a window need the click. */
export function createEffects({
  ask,
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
        const taken = await takeTabLock(lockName(intentId), signal)
        return dispatch({ type: 'lock_answered', id, taken, kept: readKept(intentId) })
      }
      case 'announce_payer': {
        const { id, payer } = effect
        const { outcome } = await resolveIntent(ask, { payer }, begin('attempt'))
        return dispatch({ type: 'payer_announced', id, known: outcome === 'resolved' })
      }
      case 'ask': {
        const { requestId, wallet, order } = effect
        const answer = await askWallet(wallet.provider, order, signal)
        if (/^(signed|sent)$/.test(answer.outcome)) keepLastWallet(wallet)
        return dispatch({ type: 'request_answered', requestId, answer })
      }
      case 'wake': {
        try {
          await effect.wallet.provider.request({ method: 'eth_requestAccounts' })
        } catch {
          // It is only to show its window.
        }
        return
      }
      case 'hand_in': {
        const { requestId, order, signature } = effect
        if (!order.authorization) return
        const { message } = order.authorization
        const answer = await handIn(ask, message, signature, begin('hand_in'))
        if (answer) dispatch({ type: 'handed_in', requestId, answer })
        return
      }
      case 'find_askers': {
        const { intentId, requestIds } = effect
        // Released at once: it is only to be found free.
        const released = new AbortController()
        const isFree = navigator.locks && (await takeTabLock(lockName(intentId), released.signal))
        released.abort()
        if (isFree) dispatch({ type: 'askers_gone', requestIds })
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
      case 'keep':
        return keepRequest(effect.intentId, effect.request)
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
