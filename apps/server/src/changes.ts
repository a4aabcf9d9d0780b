import pg from 'pg'
import type { Db } from './db/connect.ts'

/** What this process and others announce by NOTIFY. All of it is a hint: the database has the truth. */
export type Changes = {
  /** Calls back when the intent may have changed; the caller reads it again. @returns ends that */
  onIntentChanged(intentId: string, listener: () => void): () => void
  /** Calls back when an API key or its merchant has changed. */
  onKeysChanged(listener: () => void): void
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
  const keys: (() => void)[] = []
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
      else if (channel === 'keys_changed') for (const listener of keys) listener()
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
      'listen payment_intent_changed; listen webhook_due; listen webhook_endpoint_gone; listen keys_changed',
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
    onIntentChanged(intentId, listener) {
      const wakes = waiters.get(intentId) ?? new Set()
      waiters.set(intentId, wakes.add(listener))
      return () => {
        wakes.delete(listener)
        if (wakes.size === 0 && waiters.get(intentId) === wakes) waiters.delete(intentId)
      }
    },
    onKeysChanged: (listener) => void keys.push(listener),
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
