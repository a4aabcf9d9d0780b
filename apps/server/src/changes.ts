import pg from 'pg'
import type { Db } from './db/connect.ts'

/** What this process and others announce by NOTIFY. All of it is a hint: the database has the truth. */
export type Changes = {
  /** Resolves when the intent may have changed or the signal aborts; the caller reads it again. */
  wait(intentId: string, signal: AbortSignal): Promise<void>
  /** Calls back when a delivery is due. */
  onWebhookDue(listener: () => void): void
  /** Calls back when an endpoint gets nothing more. */
  onEndpointGone(listener: (endpointId: string) => void): void
  stop(): Promise<void>
}

const reconnectMs = 500
/** A connection whose other end is gone reports nothing unless it is asked. */
const askEveryMs = 5_000

/** One connection listens for all waiters; while it is down, they are woken at every attempt to restore it. */
export async function listenForChanges(db: Db, onError: (error: Error) => void): Promise<Changes> {
  const due: (() => void)[] = []
  const gone: ((endpointId: string) => void)[] = []
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
      if (channel === 'webhook_due') for (const listener of due) listener()
      else if (channel === 'webhook_endpoint_gone') for (const listener of gone) listener(payload)
      else for (const wake of waiters.get(payload) ?? []) wake()
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
    // `stop` was called meanwhile and knows nothing of it.
    if (stopped) return connection.end()
    client = connection
    asking = setInterval(() => {
      // `stop` closes it.
      if (stopped) return
      connection.query('select 1').catch((error) => {
        if (stopped) return
        onError(error)
        // It still waits for that answer, so it is closed at once.
        void connection.end()
      })
    }, askEveryMs)
    // A notification that was sent meanwhile is lost.
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
    onWebhookDue: (listener) => void due.push(listener),
    onEndpointGone: (listener) => void gone.push(listener),
    async stop() {
      stopped = true
      clearTimeout(retry)
      wakeAll()
      await client?.end()
    },
  }
}
