import type { ServerResponse } from 'node:http'
import { HttpError } from '@payment-intents/core'
import { classifyDbError } from '../../lib/classifyDbError.ts'
import type { HttpContext } from './httpContext.ts'

/** After the database did not answer. */
const lookAgainMs = 1_000

/** What a request waits for. */
type Wanted<After> = {
  /** What changes, such as an intent. */
  readonly id: string
  /** What the caller has already. */
  readonly after: After
  readonly seconds: number
}

/** How the requests for one kind of thing look for what they wait for. */
type Watched<Found, After> = {
  /** Calls the listener with an id that may have changed. */
  readonly subscribe: (listener: (id: string) => void, awaited: () => Iterable<string>) => void
  readonly find: (id: string, after: After) => Promise<Found>
  readonly isNewer: (found: Found, after: After) => boolean
  /** Whether there is nothing newer, where that costs less than to find it: most that begin to wait do wait. */
  readonly isCurrent?: (id: string, after: After) => Promise<boolean>
}

/** A request that is held. Thousands are, so it is all that is kept for one: no frame of an async function, no intent. */
type Held<Found, After> = {
  readonly id: string
  readonly after: After
  readonly resolve: (found: Found | Promise<never>) => void
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
 * Holds requests until what they want is newer than what they have, for the time given, for the caller to
 * leave, or for the server to stop. Once begun, that goes on through an outage of the database.
 *
 * @param watched.find what it throws the first and the last time, the request gets
 * @returns a function whose last parameter gets what was read last. No promise: with what waits for it, one takes half a kilobyte
 */
export function createUntilNewer<Found, After>(
  { database, stopping }: Pick<HttpContext, 'database' | 'stopping'>,
  { subscribe, find, isNewer, isCurrent }: Watched<Found, After>,
) {
  type Request = Held<Found, After>
  /** By what they wait for; mostly one request does. */
  const held = new Map<string, Request[]>()
  subscribe(
    (id) => {
      for (const one of held.get(id) ?? []) wake(one)
    },
    () => held.keys(),
  )
  // One listener for all: a signal looks through its listeners to add one.
  stopping.addEventListener('abort', () => {
    for (const all of held.values()) for (const { end } of all) end()
  })

  function wake(one: Request): void {
    if (one.state === 'resting') void look(one)
    else if (one.state === 'looking') one.state = 'woken while looking'
  }

  async function look(one: Request, isFirst = false): Promise<void> {
    clearTimeout(one.again)
    one.state = 'looking'
    const isLast = one.isOver
    let read: { readonly found: Found } | 'unchanged' | 'unknown' = 'unknown'
    try {
      // The intents of thousands would be garbage that outlives a collection.
      if (isFirst && !isLast && (await isCurrent?.(one.id, one.after))) read = 'unchanged'
      else if (isFirst || isLast || !database.isAway()) {
        read = { found: await find(one.id, one.after) }
      }
    } catch (error) {
      if (isFirst || isLast || !passes(error)) return answer(one, Promise.reject(error))
    }
    if (read === 'unknown') one.again = setTimeout(wake, lookAgainMs, one)
    else if (read !== 'unchanged' && (isLast || isNewer(read.found, one.after))) {
      return answer(one, read.found)
    }
    const wasWoken = (one as Request).state === 'woken while looking'
    one.state = 'resting'
    if (wasWoken) wake(one)
  }

  function answer(one: Request, found: Found | Promise<never>): void {
    one.state = 'answered'
    clearTimeout(one.timer)
    one.response.off('close', one.end)
    const others = held.get(one.id)?.filter((other) => other !== one) ?? []
    if (others.length > 0) held.set(one.id, others)
    else held.delete(one.id)
    one.resolve(found)
  }

  return (wanted: Wanted<After>, response: ServerResponse, resolve: Request['resolve']): void => {
    const one: Request = {
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
