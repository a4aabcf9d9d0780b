import type { Event } from '@payment-intents/contract'
import { useEffect } from 'react'
import { read } from '../api/api.ts'
import { queryClient } from '../queryClient.ts'

const heldSeconds = 25
const pauseMs = 5_000
const restMs = 500
/** The most loaded pages of a list that an event refreshes. */
const liveLists = 3

/**
 * Refreshes changed data when its event arrives, by a request that the service holds until there is an event. After a
 * failed request it refreshes everything, since it may have missed an event.
 */
export function useLiveEvents(): void {
  useEffect(() => {
    const ending = new AbortController()
    void follow(ending.signal)
    return () => ending.abort()
  }, [])
}

async function follow(signal: AbortSignal): Promise<void> {
  let last: string | undefined
  while (!signal.aborted) {
    try {
      last ??= await newestEvent(signal)
      const after = last === undefined ? {} : { starting_after: last }
      const params = { ...after, wait: heldSeconds, limit: 100 }
      const { data } = await read('/v1/events', params, signal)
      refresh(data)
      last = data.at(-1)?.id ?? last
      // A busy shop has many events: refresh at most twice a second.
      if (data.length > 0) await sleep(restMs)
    } catch {
      if (signal.aborted) return
      last = undefined
      await sleep(pauseMs)
      void queryClient.invalidateQueries()
    }
  }
}

async function newestEvent(signal: AbortSignal): Promise<string | undefined> {
  const { data } = await read('/v1/events', { order: 'desc', limit: 1 }, signal)
  return data[0]?.id
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Refreshes the objects of these events that a page shows. */
function refresh(events: readonly Event[]): void {
  const changed = new Set(events.map(({ type }) => type.split('.', 1)[0] ?? ''))
  void queryClient.invalidateQueries({
    predicate: ({ queryKey, state }) => {
      const [noun] = queryKey
      if (noun === 'session' || isLong(state.data)) return false
      return subjectsOf(String(noun)).some((subject) => changed.has(subject))
    },
  })
}

/** Whether a refresh would read many pages of a list again, for a reader far down in it. */
function isLong(data: unknown): boolean {
  const { pages } = (data ?? {}) as { pages?: readonly unknown[] }
  return (pages?.length ?? 0) > liveLists
}

/** The subjects of the events that change a query's result, by the first word of its key; any event changes others. */
const subjects: Readonly<Record<string, readonly string[]>> = {
  payments: ['payment_intent', 'refund'],
  timeline: ['payment_intent', 'refund', 'transfer', 'webhook_endpoint'],
  refunds: ['refund'],
  webhooks: ['webhook_endpoint'],
  links: ['payment_intent'],
}
const all = ['payment_intent', 'transfer', 'refund', 'webhook_endpoint', 'alert']

function subjectsOf(noun: string): readonly string[] {
  return (Object.hasOwn(subjects, noun) ? subjects[noun] : null) ?? all
}
