import { webSocket } from 'viem'
import { type RpcError, toRpcError } from './rpcError.ts'
import type { RpcTransport } from './rpcTransport.ts'

/** Calls back for each new block until it is stopped or `down`. */
export type WatchHeads = (on: {
  head: () => void
  down: (error: RpcError) => void
}) => Promise<() => void>

type Socket = { readonly ask: RpcTransport; readonly watchHeads: WatchHeads; close(): void }

/** A WebSocket that is opened by the first question, and again by the next one after it broke. */
export function openSocket(url: string, timeoutMs: number): Socket {
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
    ask: (method, params) => overOpen(() => request({ method, params } as never)),
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
