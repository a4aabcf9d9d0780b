import type { ServerResponse } from 'node:http'
import { HttpError } from '@payment-intents/core'
import { classifyDbError } from '../../lib/classifyDbError.ts'
import type { HttpContext } from './httpContext.ts'

/** The pause after the database did not respond. */
const retryAfterMs = 1_000

type LongPollParams<After> = {
  /** The id of the object that the request waits for, such as an intent. */
  readonly id: string
  /** The version that the caller has already. */
  readonly after: After
  readonly seconds: number
}

/** The source of the changes that one kind of request waits for. */
type ChangeSource<Value, After> = {
  /** Calls the listener with an id that may have changed. */
  readonly subscribe: (listener: (id: string) => void, awaited: () => Iterable<string>) => void
  /** An error of its first or last call rejects the request. Between them, transient errors are retried. */
  readonly find: (id: string, after: After) => Promise<Value>
  readonly isNewer: (value: Value, after: After) => boolean
  /** A cheap check before the first read that nothing is newer, which is so for most requests. */
  readonly isCurrent?: (id: string, after: After) => Promise<boolean>
}

/** A held request. There are thousands, so each keeps little: no promise and no intent. */
type HeldRequest<Value, After> = {
  readonly id: string
  readonly after: After
  readonly onValue: (value: Value | Promise<never>) => void
  /** Ends the wait: reads once more, and responds with the result. */
  readonly expire: () => void
  readonly response: ServerResponse
  /** Calls `expire`. */
  timer: NodeJS.Timeout | undefined
  /** Reads again after the database did not respond. */
  retry: NodeJS.Timeout | undefined
  state: 'idle' | 'checking' | 'woken while checking' | 'responded'
  isExpired: boolean
}

/**
 * Holds a request until its object is newer than the client's version, `seconds` have passed, the client disconnects,
 * or the server stops. A held request survives an outage of the database.
 *
 * @returns a function that calls `onValue` with the last value, or with a rejected promise. It returns no promise: a
 *   promise and its waiters take half a kilobyte
 */
export function createLongPoll<Value, After>(
  { database, stopping }: Pick<HttpContext, 'database' | 'stopping'>,
  { subscribe, find, isNewer, isCurrent }: ChangeSource<Value, After>,
) {
  type Request = HeldRequest<Value, After>
  /** By id; mostly a single request. */
  const waiting = new Map<string, Request[]>()
  subscribe(
    (id) => {
      for (const request of waiting.get(id) ?? []) wake(request)
    },
    () => waiting.keys(),
  )
  // A single listener for all requests: each addition to a signal would search its listeners.
  stopping.addEventListener('abort', () => {
    for (const all of waiting.values()) for (const { expire } of all) expire()
  })

  function wake(request: Request): void {
    if (request.state === 'idle') void check(request)
    else if (request.state === 'checking') request.state = 'woken while checking'
  }

  async function check(request: Request, isFirst = false): Promise<void> {
    clearTimeout(request.retry)
    request.state = 'checking'
    const isLast = request.isExpired
    let outcome: { readonly value: Value } | 'unchanged' | 'unknown' = 'unknown'
    try {
      // Check before a whole read: thousands of intents at once would burden the garbage collector.
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
    const wasWoken = (request as Request).state === 'woken while checking'
    request.state = 'idle'
    if (wasWoken) wake(request)
  }

  function respond(request: Request, value: Value | Promise<never>): void {
    request.state = 'responded'
    clearTimeout(request.timer)
    request.response.off('close', request.expire)
    const others = waiting.get(request.id)?.filter((other) => other !== request) ?? []
    if (others.length > 0) waiting.set(request.id, others)
    else waiting.delete(request.id)
    request.onValue(value)
  }

  return (
    params: LongPollParams<After>,
    response: ServerResponse,
    onValue: Request['onValue'],
  ): void => {
    const request: Request = {
      id: params.id,
      after: params.after,
      onValue,
      expire() {
        request.isExpired = true
        wake(request)
      },
      response,
      timer: undefined,
      retry: undefined,
      state: 'idle',
      // A response that is already closed emits no `close`.
      isExpired: stopping.aborted || response.destroyed,
    }
    request.timer = setTimeout(request.expire, params.seconds * 1_000)
    response.on('close', request.expire)
    // Register before the first read, so that no change is missed in between.
    const others = waiting.get(request.id)
    if (others) others.push(request)
    else waiting.set(request.id, [request])
    void check(request, true)
  }
}

/** Whether the same read may succeed in a moment. */
export function isTransient(error: unknown): boolean {
  return classifyDbError(error) !== null || error instanceof HttpError
}
