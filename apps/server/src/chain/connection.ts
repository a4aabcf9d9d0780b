import { createClient, http, webSocket } from 'viem'
import { z } from 'zod'
import { RpcError, toRpcError } from './rpcError.ts'
import { strictFetch } from './strictFetch.ts'

/** One URL of a provider. Everything that it throws is an `RpcError`, which names the host and no more of the URL. */
export type Connection = {
  /** Host and port; two URLs of one host are one provider. */
  readonly host: string
  /** Asks, and checks the shape of what comes back. Over HTTP, what is asked at once travels as one batch. */
  ask<Schema extends z.ZodType>(
    method: string,
    params: readonly unknown[],
    schema: Schema,
  ): Promise<z.output<Schema>>
  /** Calls back for each new block until stopped or `onDown`; null where the URL offers no subscription. */
  readonly watchHeads:
    | ((on: { head: () => void; down: (error: RpcError) => void }) => Promise<() => void>)
    | null
  close(): void
}

const batchSize = 100

export function connect(url: string, options: { timeoutMs?: number } = {}): Connection {
  const { timeoutMs = 10_000 } = options
  return new URL(url).protocol.startsWith('ws')
    ? overSocket(url, timeoutMs)
    : overHttp(url, timeoutMs)
}

type Request = (question: { method: string; params: readonly unknown[] }) => Promise<unknown>

function overHttp(url: string, timeoutMs: number): Connection {
  const transport = http(url, {
    batch: { batchSize },
    fetchFn: strictFetch(timeoutMs),
    // The deadline is strictFetch's, which covers the body too.
    timeout: 0,
    retryCount: 0,
  })
  const client = createClient({ transport })
  return {
    host: new URL(url).host,
    ask: asking(url, client.request as Request),
    watchHeads: null,
    close() {},
  }
}

function overSocket(url: string, timeoutMs: number): Connection {
  const { host } = new URL(url)
  // Reconnecting is the caller's decision, and an idle socket is silent.
  const { value, request } = webSocket(url, {
    keepAlive: false,
    reconnect: false,
    retryCount: 0,
    timeout: timeoutMs,
  })({ retryCount: 0 })
  let opened = false
  if (!value) throw new Error('unreachable: a WebSocket transport has a socket')

  function close(): void {
    if (!opened) return
    opened = false
    value?.getRpcClient().then(
      (client) => client.close(),
      () => {},
    )
  }

  /** viem keeps a broken socket for the next question; closing it makes that question open another. */
  async function overOpen<T>(work: () => Promise<T>): Promise<T> {
    opened = true
    try {
      return await before(timeoutMs, work())
    } catch (error) {
      const { name } = error as Error
      if (name !== 'RpcRequestError') close()
      throw error
    }
  }

  return {
    host,
    ask: asking(url, (question) => overOpen(() => request(question as never))),
    async watchHeads(on) {
      let stopped = false
      const down = (error: unknown) => {
        if (stopped) return
        stopped = true
        close()
        on.down(toRpcError(error, { url, method: 'eth_subscribe' }))
      }
      try {
        const { unsubscribe } = await overOpen(() =>
          value.subscribe({
            params: ['newHeads'],
            onData: () => {
              if (!stopped) on.head()
            },
            onError: down,
          }),
        )
        return () => {
          if (stopped) return
          stopped = true
          unsubscribe().catch(() => {})
        }
      } catch (error) {
        stopped = true
        throw toRpcError(error, { url, method: 'eth_subscribe' })
      }
    },
    close,
  }
}

function asking(url: string, request: Request): Connection['ask'] {
  return async (method, params, schema) => {
    let answer: unknown
    try {
      answer = await request({ method, params })
    } catch (error) {
      throw toRpcError(error, { url, method })
    }
    const parsed = schema.safeParse(answer)
    if (parsed.success) return parsed.data
    const { host } = new URL(url)
    const why = z.prettifyError(parsed.error).slice(0, 300)
    throw new RpcError('contradiction', `${host}: ${method} answered in an unknown shape: ${why}`)
  }
}

async function before<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = Object.assign(new Error('late'), { name: 'TimeoutError' })
    timer = setTimeout(() => reject(error), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
