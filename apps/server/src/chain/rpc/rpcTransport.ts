/** Sends a JSON-RPC call; its result comes back as it is. */
export type RpcTransport = (
  method: string,
  params: readonly unknown[],
  options?: CallOptions,
) => Promise<unknown>

/** For HTTP; a WebSocket has neither batches nor a limit. */
export type CallOptions = {
  /** The largest response if the call is alone in its request: 8 MiB by default, as for a batch. */
  readonly maxBytes?: number
  /** Sends the call in a request of its own, beside every batch. */
  readonly unbatched?: boolean
}

/** For what is worth it: responses of this size take seconds, and several of them fill the memory. */
export const largeResponseBytes = 64 * 1024 * 1024
