import { type CheckoutIntent, rateLimited, type X402Waiter } from '@payment-intents/core'
import type { FastifyReply } from 'fastify'
import { chainLimit } from '../limits/chainLimit.ts'
import { createRateLimit } from '../limits/rateLimit.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { createIntentLongPoll } from '../transport/intentLongPoll.ts'

/** The longest time that a response waits for a payment to be in a block; a resolve waits as long. */
const patienceSeconds = 25

/**
 * Creates functions by which a response waits for an x402 payment.
 * @param find reads an intent; null: there is none
 */
export function createX402Waiters(
  context: HttpContext,
  find: (id: string) => Promise<CheckoutIntent | null>,
): (reply: FastifyReply) => X402Waiter {
  const { resolveLimit, stopping } = context
  const now = () => performance.now()
  const limitPayments = createRateLimit({ ...chainLimit(resolveLimit), now })
  const longPoll = createIntentLongPoll(context, find)
  return ({ raw }) => {
    const giveUpAt = now() + patienceSeconds * 1_000
    return {
      countPayment: (subject) => refuseBeyond(limitPayments.take(subject)),
      async next({ id, version: after }) {
        const seconds = (giveUpAt - now()) / 1_000
        if (seconds <= 0 || stopping.aborted) return null
        const newer = await new Promise<CheckoutIntent | null>((resolve) => {
          longPoll({ id, after, seconds }, raw, resolve)
        })
        return raw.destroyed ? null : newer
      },
      isDisconnected: () => raw.destroyed,
    }
  }
}

export function refuseBeyond(seconds: number): void {
  if (seconds > 0) throw rateLimited(seconds)
}
