/** Calls a JSON-RPC provider. Its responses are of any shape: compare their values, never trust them. */
export function rpcTransport({ rpcUrl, signal }: { rpcUrl: string; signal?: AbortSignal }) {
  let id = 0
  return async (method: string, ...params: unknown[]) => {
    id += 1
    const response = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      ...(signal ? { signal } : {}),
    })
    if (!response.ok) throw new Error(`${method}: the provider responded with ${response.status}.`)
    const { result, error } = await response.json()
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }
}
