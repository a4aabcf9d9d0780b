import type { ServerResponse } from 'node:http'
import { HttpError } from '@payment-intents/core'
import { classifyDbError } from '../../lib/classifyDbError.ts'
import { shareReads } from '../../store/connection/shareReads.ts'
import { readVersions } from '../../store/payment-intents/readVersions.ts'
import type { HttpContext } from '../transport/httpContext.ts'

/** After the database did not answer. */
const lookAgainMs = 1_000

/** What a request waits for: a version of an intent above `after`. */
type Wanted = { readonly id: string; readonly after: number; readonly seconds: number }

type Versioned = { readonly intent: { readonly version: number } }

/** A request that is held. Thousands are, so it is all that is kept for one: no frame of an async function, no intent. */
type Held<Found> = {
  readonly id: string
  readonly after: number
  readonly resolve: (found: Found | null | Promise<never>) => void
  /** The next look is the last. */
  readonly end: () => void
  readonly response: ServerResponse
  /** Ends it; while the database does not answer, `again` looks once more. */
  timer: NodeJS.Timeout | undefined
  again: NodeJS.Timeout | undefined
  state: 'resting' | 'looking' | 'woken while looking' | 'answered'
  isOver: boolean
}

/**
 * Holds requests for an intent until it has the version that they want or is gone, for the time given, for the caller to
 * leave, or for the server to stop. Once begun, that goes on through an outage of the database.
 *
 * @param find reads an intent, null when there is none; what it throws the first and the last time, the request gets
 * @returns a function whose last parameter gets what was read last. No promise: with what waits for it, one takes half a kilobyte
 */
export function createUntilNewer<Found extends Versioned>(
  {
    db,
    changes,
    database,
    stopping,
  }: Pick<HttpContext, 'db' | 'changes' | 'database' | 'stopping'>,
  find: (id: string) => Promise<Found | null>,
) {
  const findVersion = shareReads({ db, database }, (ids) => readVersions(db.pool, ids))
  /** By intent; mostly one request is. */
  const held = new Map<string, Held<Found>[]>()
  changes.onIntentChanged(
    (id) => {
      for (const one of held.get(id) ?? []) wake(one)
    },
    () => held.keys(),
  )
  // One listener for all: a signal looks through its listeners to add one.
  stopping.addEventListener('abort', () => {
    for (const all of held.values()) for (const { end } of all) end()
  })

  function wake(one: Held<Found>): void {
    if (one.state === 'resting') void look(one)
    else if (one.state === 'looking') one.state = 'woken while looking'
  }

  async function look(one: Held<Found>, isFirst = false): Promise<void> {
    clearTimeout(one.again)
    one.state = 'looking'
    const isLast = one.isOver
    let found: Found | null | 'unchanged' | 'unknown' = 'unknown'
    try {
      // Most that begin to wait do wait. The intents of thousands would be garbage that outlives a collection.
      if (isFirst && !isLast && (await isCurrent(one))) found = 'unchanged'
      else if (isFirst || isLast || !database.isAway()) found = await find(one.id)
    } catch (error) {
      if (isFirst || isLast || !passes(error)) return answer(one, Promise.reject(error))
    }
    if (found === 'unknown') one.again = setTimeout(wake, lookAgainMs, one)
    else if (found !== 'unchanged') {
      const read = found
      const isNewer = read === null || read.intent.version > one.after
      if (isNewer || isLast) return answer(one, read)
    }
    const wasWoken = (one as Held<Found>).state === 'woken while looking'
    one.state = 'resting'
    if (wasWoken) wake(one)
  }

  async function isCurrent({ id, after }: Held<Found>): Promise<boolean> {
    const version = await findVersion(id)
    return version !== null && version <= after
  }

  function answer(one: Held<Found>, found: Found | null | Promise<never>): void {
    one.state = 'answered'
    clearTimeout(one.timer)
    one.response.off('close', one.end)
    const others = held.get(one.id)?.filter((other) => other !== one) ?? []
    if (others.length > 0) held.set(one.id, others)
    else held.delete(one.id)
    one.resolve(found)
  }

  return (wanted: Wanted, response: ServerResponse, resolve: Held<Found>['resolve']): void => {
    const one: Held<Found> = {
      id: wanted.id,
      after: wanted.after,
      resolve,
      end() {
        one.isOver = true
        wake(one)
      },
      response,
      timer: undefined,
      again: undefined,
      state: 'resting',
      // A response that has closed already emits no more.
      isOver: stopping.aborted || response.destroyed,
    }
    one.timer = setTimeout(one.end, wanted.seconds * 1_000)
    response.on('close', one.end)
    // Waiting begins before looking, so that a change in between is not missed.
    const others = held.get(one.id)
    if (others) others.push(one)
    else held.set(one.id, [one])
    void look(one, true)
  }
}

/** Whether the same read may succeed in a moment. */
export function passes(error: unknown): boolean {
  return classifyDbError(error) !== null || error instanceof HttpError
}
