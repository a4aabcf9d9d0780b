import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { classifyDbError } from '../../lib/classifyDbError.ts'
import type { Db } from './connect.ts'

export type Listener = {
  /** The number of the connection on which notifications arrive; null: none works. */
  connection(): number | null
  stop(): Promise<void>
}

const reconnectMs = 500
/** A broken connection reports no error without a query. If a probe gets no response, the connection is replaced. */
const probeEveryMs = 1_000
/** The connection notifies itself on this channel, since some clusters accept LISTEN and send nothing. */
const probeChannel = 'payment_intents_listener'

/**
 * Listens on a connection of its own, and replaces the connection when it breaks. Does not listen through a pooler,
 * which passes the session to another client after each statement. Does not retry if the cluster refuses LISTEN.
 */
export async function startListener(
  db: Db,
  channels: readonly string[],
  on: { notification(channel: string, payload: string): void; error(error: Error): void },
): Promise<Listener> {
  let client: pg.Client | null = null
  let listening: number | null = null
  let connections = 0
  let retry: NodeJS.Timeout | undefined
  /** `stop` was called, or the cluster refuses LISTEN. */
  let givesUp = false

  async function listen(): Promise<void> {
    const connection = new pg.Client(db.pool.options)
    const number = ++connections
    const nonce = randomUUID()
    connection.on('notification', ({ channel, payload = '' }) => {
      if (channel !== probeChannel) on.notification(channel, payload)
      else if (payload === nonce) listening = number
    })
    connection.on('error', on.error)
    let probe: NodeJS.Timeout | undefined
    connection.once('end', () => {
      clearInterval(probe)
      if (client !== connection) return
      client = null
      listening = null
      retryLater()
    })
    await connection.connect()
    // `stop` was called meanwhile, and could not end this connection.
    if (givesUp) return connection.end()
    client = connection
    try {
      await connection.query([probeChannel, ...channels].map((name) => `listen ${name}`).join('; '))
      await connection.query('select pg_notify($1, $2)', [probeChannel, nonce])
    } catch (error) {
      // The cluster refuses LISTEN.
      if (classifyDbError(error) === null) givesUp = true
      throw error
    }
    let isProbing = false
    probe = setInterval(() => {
      // `stop` ends the connection.
      if (givesUp) return
      if (isProbing) return void connection.end()
      isProbing = true
      connection.query('select 1').then(
        () => {
          isProbing = false
        },
        (error) => {
          if (!givesUp) on.error(error)
        },
      )
    }, probeEveryMs)
  }

  function retryLater(): void {
    if (givesUp || retry) return
    retry = setTimeout(() => {
      retry = undefined
      void start()
    }, reconnectMs)
  }

  async function start(): Promise<void> {
    try {
      await listen()
    } catch (error) {
      on.error(error as Error)
      // The `end` event schedules a retry.
      if (client) void client.end()
      else retryLater()
    }
  }

  if (!db.pooler) await start()
  return {
    connection: () => listening,
    async stop() {
      givesUp = true
      clearTimeout(retry)
      await client?.end()
    },
  }
}
