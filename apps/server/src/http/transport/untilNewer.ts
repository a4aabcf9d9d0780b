import type { ServerResponse } from 'node:http'
import { HttpError } from '@payment-intents/core'
import { classifyDbError } from '../../lib/classifyDbError.ts'
import type { HttpContext } from './httpContext.ts'

/** Pause after the database did not respond. */
const retryAfterMs = 1_000

/** The change that a request waits for. */
type WaitParams<After> = {
  /** The id of the object that changes, such as an intent. */
  readonly id: string
  /** The version that the caller has already. */
  readonly after: After
  readonly seconds: number
}

/** The source of the changes that one kind of request waits for. */
type Watched<Value, After> = {
  /** Calls the listener with an id that may have changed. */
  readonly subscribe: (listener: (id: string) => void, awaited: () => Iterable<string>) => void
  readonly find: (id: string, after: After) => Promise<Value>
  readonly isNewer: (value: Value, after: After) => boolean
  /** Whether there is nothing newer, where that costs less than to find it: most that begin to wait do wait. */
  readonly isCurrent?: (id: string, after: After) => Promise<boolean>
}

/** A held request. There are thousands, so it is all that is kept per request: no frame of an async function, no intent. */
type HeldRequest<Value, After> = {
  readonly id: string
  readonly after: After
  readonly resolve: (value: Value | Promise<never>) => void
  /** The next look is the last. */
  readonly end: () => void
  readonly response: ServerResponse
  /** Ends it; while the database does not respond, `retry` looks again. */
  timer: NodeJS.Timeout | undefined
  retry: NodeJS.Timeout | undefined
  state: 'resting' | 'looking' | 'woken while looking' | 'responded'
  isOver: boolean
}

/**
 * Holds requests until the wanted object is newer than their version, until the passed time is over, the caller leaves, or the server
 * stops. A held request goes on through an outage of the database.
 *
 * @param watched.find its first and last errors go to the request
 * @returns a function whose last parameter gets the last value read. No promise: a promise and its waiters take half a kilobyte
 */
export function createUntilNewer<Value, After>(
  { database, stopping }: Pick<HttpContext, 'database' | 'stopping'>,
  { subscribe, find, isNewer, isCurrent }: Watched<Value, After>,
) {
  type Request = HeldRequest<Value, After>
  /** By id; mostly one request waits for an id. */
  const waiting = new Map<string, Request[]>()
  subscribe(
    (id) => {
      for (const request of waiting.get(id) ?? []) wake(request)
    },
    () => waiting.keys(),
  )
  // One listener for all: adding a listener to a signal searches its listeners.
  stopping.addEventListener('abort', () => {
    for (const all of waiting.values()) for (const { end } of all) end()
  })

  function wake(request: Request): void {
    if (request.state === 'resting') void look(request)
    else if (request.state === 'looking') request.state = 'woken while looking'
  }

  async function look(request: Request, isFirst = false): Promise<void> {
    clearTimeout(request.retry)
    request.state = 'looking'
    const isLast = request.isOver
    let outcome: { readonly value: Value } | 'unchanged' | 'unknown' = 'unknown'
    try {
      // The intents of thousands would be garbage that outlives a collection.
      if (isFirst && !isLast && (await isCurrent?.(request.id, request.after)))
        outcome = 'unchanged'
      else if (isFirst || isLast || !database.isAway()) {
        outcome = { value: await find(request.id, request.after) }
      }
    } catch (error) {
      if (isFirst || isLast || !isTransient(error)) return respond(request, Promise.reject(error))
    }
    if (outcome === 'unknown') request.retry = setTimeout(wake, retryAfterMs, request)
    else if (outcome !== 'unchanged' && (isLast || isNewer(outcome.value, request.after))) {
      return respond(request, outcome.value)
    }
    const wasWoken = (request as Request).state === 'woken while looking'
    request.state = 'resting'
    if (wasWoken) wake(request)
  }

  function respond(request: Request, value: Value | Promise<never>): void {
    request.state = 'responded'
    clearTimeout(request.timer)
    request.response.off('close', request.end)
    const others = waiting.get(request.id)?.filter((other) => other !== request) ?? []
    if (others.length > 0) waiting.set(request.id, others)
    else waiting.delete(request.id)
    request.resolve(value)
  }

  return (
    params: WaitParams<After>,
    response: ServerResponse,
    resolve: Request['resolve'],
  ): void => {
    const request: Request = {
      id: params.id,
      after: params.after,
      resolve,
      end() {
        request.isOver = true
        wake(request)
      },
      response,
      timer: undefined,
      retry: undefined,
      state: 'resting',
      // A response that has closed already emits no more.
      isOver: stopping.aborted || response.destroyed,
    }
    request.timer = setTimeout(request.end, params.seconds * 1_000)
    response.on('close', request.end)
    // Waiting begins before looking, so that a change in between is not missed.
    const others = waiting.get(request.id)
    if (others) others.push(request)
    else waiting.set(request.id, [request])
    void look(request, true)
  }
}

/** Whether the same read may succeed in a moment. */
export function isTransient(error: unknown): boolean {
  return classifyDbError(error) !== null || error instanceof HttpError
}
