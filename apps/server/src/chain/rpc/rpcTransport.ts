/** Sends a JSON-RPC call, and returns its result unchecked. */
export type RpcTransport = (
  method: string,
  params: readonly unknown[],
  options?: CallOptions,
) => Promise<unknown>

/** Options of HTTP; a WebSocket has neither batches nor a limit. */
export type CallOptions = {
  /** The maximum of bytes of the response of a call that is sent alone: 8 MiB by default, as for a batch. */
  readonly maxBytes?: number
  /** Sends the call alone, apart from batches. */
  readonly unbatched?: boolean
}

/** The maximum for large responses. They take seconds, and several of them fill the memory. */
export const largeResponseBytes = 64 * 1024 * 1024
