import { RpcError } from './walletRpcError.ts'

/**
 * Sends a request to a chain's JSON-RPC endpoint.
 *
 * @throws RpcError with the chain's own code, or 4900 when it cannot be reached
 */
export async function callRpc<result>(
  url: string,
  method: string,
  params: unknown,
): Promise<result> {
  const body = await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  if (body.error) throw new RpcError(body.error.code, body.error.message, body.error.data)
  return body.result as result
}

type RpcResponse = {
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
}

async function post(url: string, body: string): Promise<RpcResponse> {
  const headers = { 'content-type': 'application/json' }
  try {
    const response = await fetch(url, { method: 'POST', headers, body })
    return (await response.json()) as RpcResponse
  } catch {
    throw new RpcError(4900, 'The wallet cannot reach its chain.')
  }
}
