import { HttpError } from '@payment-intents/rules'
import type { FastifyReply } from 'fastify'
import { troubleOf } from '../db/trouble.ts'
import type { HttpContext } from './context.ts'

/** After the database did not answer. */
const lookAgainMs = 1_000

/** What a request waits for: a version of an intent above `after`. */
type Wanted = { readonly id: string; readonly after: number; readonly seconds: number }

/**
 * Holds requests for an intent until it has the version that they want or is gone, for the time given, for the caller to
 * leave, or for the server to stop. Once begun, that goes on through an outage of the database.
 *
 * @returns resolves to what `look` read last. `look` reads the intent, null when there is none; it throws what the first
 *   and the last look throw
 */
export function createUntilNewer({
  changes,
  database,
  stopping,
}: Pick<HttpContext, 'changes' | 'database' | 'stopping'>) {
  /** Ends each request that is held. One listener for all: a signal looks through its listeners to add one. */
  const held = new Set<() => void>()
  stopping.addEventListener('abort', () => {
    for (const end of held) end()
  })

  return async <Found extends { intent: { version: number } }>(
    { id, after, seconds }: Wanted,
    reply: FastifyReply,
    look: () => Promise<Found | null>,
  ): Promise<Found | null> => {
    let isOver = false
    let woken = Promise.withResolvers<void>()
    let retry: NodeJS.Timeout | undefined
    const wake = () => woken.resolve()
    const end = () => {
      isOver = true
      wake()
    }
    const lookAgain = async () => {
      woken = Promise.withResolvers()
      clearTimeout(retry)
      if (!database.isAway()) {
        try {
          return await look()
        } catch (error) {
          if (troubleOf(error) === null && !(error instanceof HttpError)) throw error
        }
      }
      retry = setTimeout(wake, lookAgainMs)
      return 'unknown'
    }
    if (stopping.aborted) end()
    const timer = setTimeout(end, seconds * 1_000)
    reply.raw.once('close', end)
    held.add(end)
    // Waiting begins before looking, so that a change in between is not missed.
    const forget = changes.onIntentChanged(id, wake)
    try {
      let found: Found | 'unknown' | null = await look()
      while (found === 'unknown' || (found && found.intent.version <= after)) {
        // Thousands that wait would each keep an intent in memory.
        found = 'unknown'
        await woken.promise
        if (isOver) return await look()
        found = await lookAgain()
      }
      return found
    } finally {
      clearTimeout(timer)
      clearTimeout(retry)
      reply.raw.off('close', end)
      held.delete(end)
      forget()
    }
  }
}
