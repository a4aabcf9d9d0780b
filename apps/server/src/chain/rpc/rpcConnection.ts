import { z } from 'zod'
import { httpTransport } from './httpTransport.ts'
import { openSocket, type WatchHeads } from './openSocket.ts'
import { RpcError, toRpcError } from './rpcError.ts'
import type { CallOptions, RpcTransport } from './rpcTransport.ts'

/** One URL of a provider. It throws only `RpcError`, which names the host and nothing else of the URL. */
export type Connection = {
  /** Host and port; two URLs of one host are one provider. */
  readonly host: string
  /** Sends a call, and checks the shape of the response. Over HTTP, calls of one moment are one batch. */
  request<Schema extends z.ZodType>(
    method: string,
    params: readonly unknown[],
    schema: Schema,
    options?: CallOptions,
  ): Promise<z.output<Schema>>
  /** null: the URL offers no subscription. */
  readonly watchHeads: WatchHeads | null
  close(): void
}

export function connect(url: string, options: { timeoutMs?: number } = {}): Connection {
  const { timeoutMs = 10_000 } = options
  const { host, protocol } = new URL(url)
  if (!protocol.startsWith('ws')) {
    return {
      host,
      request: checked(url, httpTransport(url, timeoutMs)),
      watchHeads: null,
      close() {},
    }
  }
  const socket = openSocket(url, timeoutMs)
  return { ...socket, host, request: checked(url, socket.request) }
}

function checked(url: string, send: RpcTransport): Connection['request'] {
  return async (method, params, schema, options) => {
    let response: unknown
    try {
      response = await send(method, params, options)
    } catch (error) {
      throw toRpcError(error, { url, method })
    }
    const parsed = schema.safeParse(response)
    if (parsed.success) return parsed.data
    const { host } = new URL(url)
    const why = z.prettifyError(parsed.error).slice(0, 300)
    throw new RpcError(
      'contradiction',
      `${host}: the response to ${method} has an unknown shape: ${why}`,
    )
  }
}
