import { setTimeout as sleep } from 'node:timers/promises'
import { HttpError } from '@payment-intents/rules'
import type { FastifyReply } from 'fastify'
import { troubleOf } from '../db/trouble.ts'
import type { HttpContext } from './context.ts'

/** After the database did not answer. */
const lookAgainMs = 1_000

/**
 * Waits until an intent has a version above `after` or is gone, for the time given, for the caller to leave, or for the
 * server to stop. Once begun, it goes on through an outage of the database.
 *
 * @param look reads the version, null when there is no intent
 * @throws what the first look throws
 */
export async function untilNewer(
  { changes, database, stopping }: Pick<HttpContext, 'changes' | 'database' | 'stopping'>,
  wanted: { readonly id: string; readonly after: number; readonly seconds: number },
  reply: FastifyReply,
  look: () => Promise<number | null>,
): Promise<void> {
  const held = new AbortController()
  const leave = () => held.abort()
  const timer = setTimeout(leave, wanted.seconds * 1_000)
  reply.raw.once('close', leave)
  stopping.addEventListener('abort', leave)
  const lookAgain = async () => {
    if (database.isAway()) return 'unknown'
    return look().catch((error) => {
      if (troubleOf(error) === null && !(error instanceof HttpError)) throw error
      database.report(error)
      return 'unknown' as const
    })
  }
  try {
    for (let first = true; !held.signal.aborted && !stopping.aborted; first = false) {
      // Waiting begins before looking, so that a change in between is not missed.
      const change = changes.wait(wanted.id, held.signal)
      const version = await (first ? look() : lookAgain())
      if (version === null || (version !== 'unknown' && version > wanted.after)) return
      await (version === 'unknown' ? Promise.race([change, pause(held.signal)]) : change)
    }
  } finally {
    clearTimeout(timer)
    reply.raw.off('close', leave)
    stopping.removeEventListener('abort', leave)
    held.abort()
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(lookAgainMs, undefined, { signal }).catch(() => {})
}
