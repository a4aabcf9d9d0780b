import { type Address, resolveRequestSchema } from '@payment-intents/contract'
import { HttpError, parse } from '@payment-intents/rules'
import type { Ledger } from '../ledger.ts'
import { presentResolved } from '../present.ts'
import { json } from './answer.ts'
import { readPageBody } from './read.ts'
import type { Route } from './route.ts'

export function resolveRoute(ledger: Ledger): Route {
  return {
    operation: 'resolvePaymentIntent',
    async answer({ body, signal }) {
      const asked = parse(resolveRequestSchema, readPageBody(body))
      const id = ledger.findBySecret(asked.client_secret)?.id
      if (!id) {
        const message = 'No payment intent has this client secret.'
        throw new HttpError('intent_not_found', message)
      }
      if (asked.payer) ledger.announce(id, asked.payer.toLowerCase() as Address)
      if (asked.after_version !== undefined && asked.wait_seconds) {
        await untilNewer(ledger, id, asked.after_version, asked.wait_seconds, signal)
      }
      const intent = ledger.find(id)
      if (!intent) throw new Error('A payment intent never goes away.')
      const { name: merchantName, support } = ledger.merchant
      return json(
        presentResolved(intent, {
          ...{ merchantName, support, now: ledger.now() },
          ...ledger.around(intent),
        }),
      )
    },
  }
}

/** Waits for a version above `after`, for the timeout by either clock, or for the caller to disconnect. */
function untilNewer(
  ledger: Ledger,
  id: string,
  after: number,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<void> {
  const until = ledger.now() + waitSeconds * 1000
  const isOver = () =>
    signal.aborted || ledger.now() >= until || (ledger.find(id)?.version ?? 0) > after
  return new Promise((resolve) => {
    const look = () => {
      if (isOver()) leave()
    }
    const leave = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
      unsubscribe()
      resolve()
    }
    const timer = setTimeout(leave, waitSeconds * 1000)
    const unsubscribe = ledger.subscribe(look)
    signal.addEventListener('abort', leave)
    look()
  })
}
