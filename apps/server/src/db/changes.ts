import pg from 'pg'
import type { Db } from './connect.ts'

/** What other processes, and this one, have to say to those that wait in this one. */
export type Notices = {
  /** A delivery is due. */
  onWebhookDue(): void
  /** An endpoint gets nothing more. */
  onEndpointGone(endpointId: string): void
}

/** Wakes whoever waits for an intent to change, in this process, whichever process changed it. */
export type Changes = {
  /** Resolves when the intent may have changed or the signal aborts; the caller reads the truth again. */
  wait(intentId: string, signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

const reconnectMs = 500
/** A connection whose other end is gone says nothing: nobody else would ask it. */
const askEveryMs = 5_000

/** One connection listens for all waiters; while it is down, they are woken at every attempt to restore it. */
export async function listenForChanges(
  db: Db,
  onError: (error: Error) => void,
  notices: Notices = { onWebhookDue() {}, onEndpointGone() {} },
): Promise<Changes> {
  const waiters = new Map<string, Set<() => void>>()
  let client: pg.Client | null = null
  let retry: NodeJS.Timeout | undefined
  let stopped = false

  const wakeAll = () => {
    for (const wakes of waiters.values()) for (const wake of wakes) wake()
  }

  async function listen(): Promise<void> {
    const connection = new pg.Client(db.pool.options)
    connection.on('notification', ({ channel, payload = '' }) => {
      if (channel === 'webhook_due') return notices.onWebhookDue()
      if (channel === 'webhook_endpoint_gone') return notices.onEndpointGone(payload)
      for (const wake of waiters.get(payload) ?? []) wake()
    })
    connection.on('error', onError)
    let asking: NodeJS.Timeout | undefined
    connection.once('end', () => {
      clearInterval(asking)
      client = null
      retryLater()
    })
    await connection.connect()
    await connection.query(
      'listen payment_intent_changed; listen webhook_due; listen webhook_endpoint_gone',
    )
    // Stopped meanwhile: nobody else ends it.
    if (stopped) return connection.end()
    client = connection
    asking = setInterval(() => {
      // Whoever stops has begun to close it.
      if (stopped) return
      connection.query('select 1').catch((error) => {
        if (stopped) return
        onError(error)
        // It still waits for that answer, so it is closed at once.
        void connection.end()
      })
    }, askEveryMs)
    // What changed while nobody listened is not told again.
    wakeAll()
  }

  function retryLater(): void {
    if (stopped || retry) return
    retry = setTimeout(() => {
      retry = undefined
      wakeAll()
      listen().catch((error) => {
        onError(error)
        retryLater()
      })
    }, reconnectMs)
  }

  await listen()
  return {
    wait(intentId, signal) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const wakes = waiters.get(intentId) ?? new Set()
      waiters.set(intentId, wakes)
      const wake = () => {
        wakes.delete(wake)
        if (wakes.size === 0) waiters.delete(intentId)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      wakes.add(wake)
      if (signal.aborted) wake()
      else signal.addEventListener('abort', wake)
      return promise
    },
    async stop() {
      stopped = true
      clearTimeout(retry)
      wakeAll()
      await client?.end()
    },
  }
}
