import { basicAuthorization } from '../../lib/basicAuthorization.ts'
import { userAgent } from '../../version.ts'
import { RpcError, refused, toRpcError } from './rpcError.ts'
import type { RpcTransport } from './rpcTransport.ts'

/** Subscribes to new blocks, until the returned function is called or `down` is. */
export type WatchHeads = (on: {
  head: () => void
  down: (error: RpcError) => void
}) => Promise<() => void>

type Socket = { readonly request: RpcTransport; readonly watchHeads: WatchHeads; close(): void }

/** One WebSocket, from its handshake to its end. */
type Line = {
  /** @throws {RpcError} the response is an error */
  call(method: string, params: readonly unknown[]): Promise<unknown>
  /** Called for each notification of a subscription. */
  readonly subscribers: Map<string, () => void>
  /** Called once when the socket closes. */
  readonly watchers: Set<(error: Error) => void>
  close(): void
}

/** Opens a WebSocket at the first call, and again at the next call after it broke. */
export function openSocket(url: string, timeoutMs: number): Socket {
  let current: Promise<Line> | null = null

  function line(): Promise<Line> {
    if (current) return current
    const opening = openLine(url)
    const forget = () => {
      if (current === opening) current = null
    }
    opening.then(({ watchers }) => watchers.add(forget), forget)
    current = opening
    return opening
  }

  function close(): void {
    const closing = current
    current = null
    closing?.then(
      (open) => open.close(),
      () => {},
    )
  }

  /** Calls over the socket. A call without a response closes it, since it may be broken; the next call opens another. */
  async function overLine<T>(work: (line: Line) => Promise<T>): Promise<T> {
    try {
      return await before(timeoutMs, line().then(work))
    } catch (error) {
      if (!(error instanceof RpcError)) close()
      throw error
    }
  }

  return {
    request: (method, params) => overLine(({ call }) => call(method, params)),
    async watchHeads(on) {
      let stopped = false
      const down = (error: Error) => {
        if (stopped) return
        stopped = true
        on.down(toRpcError(error, { url, method: 'eth_subscribe' }))
      }
      try {
        return await overLine(async ({ call, subscribers, watchers }) => {
          const id = String(await call('eth_subscribe', ['newHeads']))
          subscribers.set(id, () => {
            if (!stopped) on.head()
          })
          watchers.add(down)
          return () => {
            if (stopped) return
            stopped = true
            subscribers.delete(id)
            watchers.delete(down)
            call('eth_unsubscribe', [id]).catch(() => {})
          }
        })
      } catch (error) {
        stopped = true
        throw toRpcError(error, { url, method: 'eth_subscribe' })
      }
    },
    close,
  }

  async function openLine(url: string): Promise<Line> {
    // Load the library lazily: it is large, and few servers open a WebSocket.
    const { WebSocket } = await import('undici')
    const { host, pathname, search, protocol } = new URL(url)
    const headers = { 'user-agent': userAgent, ...basicAuthorization(url) }
    const socket = new WebSocket(`${protocol}//${host}${pathname}${search}`, { headers })
    const calls = new Map<number, { method: string; settle: PromiseWithResolvers<unknown> }>()
    const subscribers: Line['subscribers'] = new Map()
    const watchers: Line['watchers'] = new Set()
    const opened = Promise.withResolvers<Line>()
    let sent = 0
    let fault: unknown = null

    function call(method: string, params: readonly unknown[]): Promise<unknown> {
      sent += 1
      const settle = Promise.withResolvers<unknown>()
      calls.set(sent, { method, settle })
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: sent, method, params }))
      return settle.promise
    }

    socket.addEventListener('open', () =>
      opened.resolve({ call, subscribers, watchers, close: () => socket.close() }),
    )
    socket.addEventListener('error', ({ error }) => {
      fault = error
    })
    socket.addEventListener('close', ({ code }) => {
      const error = new Error(`the WebSocket is closed (${code})`, { cause: fault })
      opened.reject(error)
      for (const { settle } of calls.values()) settle.reject(error)
      for (const watcher of watchers) watcher(error)
    })
    socket.addEventListener('message', ({ data }) => {
      const { id, result, error, params } = parse(data)
      const waiting = calls.get(Number(id))
      if (!waiting) return subscribers.get(String(params?.subscription))?.()
      calls.delete(Number(id))
      if (error) waiting.settle.reject(refused(url, waiting.method, error))
      else waiting.settle.resolve(result)
    })
    return opened.promise
  }
}

type Message = {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null
  readonly params?: { readonly subscription?: unknown } | null
}

/** Parses a message; one that is not JSON-RPC belongs to no call. */
function parse(data: unknown): Message {
  try {
    return Object(JSON.parse(String(data)))
  } catch {
    return {}
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
