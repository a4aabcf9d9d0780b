/** A JSON-RPC question; its result comes back as it is. */
export type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>
