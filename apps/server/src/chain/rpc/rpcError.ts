/**
 * How a provider failed: it refused a log query (`range`), its response was too large for it or for us (`oversized`), it did not respond in
 * time, was not usable at all, or contradicted itself or the request. `reverted` is no failure of the provider: the called contract reverted.
 */
export type RpcFault =
  | 'reverted'
  | 'range'
  | 'oversized'
  | 'timeout'
  | 'unavailable'
  | 'contradiction'

/**
 * A provider's failure. Its URL may hold an API key, so the message names only the host, and there is no `cause`, which would print the URL and
 * the request.
 */
export class RpcError extends Error {
  readonly fault: RpcFault

  constructor(fault: RpcFault, message: string) {
    super(message)
    this.name = 'RpcError'
    this.fault = fault
  }
}

type RpcCall = { readonly url: string; readonly method: string }

/** The error code of a reverted call. Without it the reason of a failed call is unknown. */
export const revertCode = 3

/** Converts an error to an RpcError whose message holds no secret. */
export function toRpcError(error: unknown, { url, method }: RpcCall): RpcError {
  if (error instanceof RpcError) return error
  const about = `${new URL(url).host}: ${method}`
  const causes = chainOf(error)
  if (causes.some((cause) => cause.name === 'TimeoutError')) {
    return new RpcError('timeout', `${about}: no response in time`)
  }
  const last = causes.at(-1)
  const why = last?.code ?? last?.message ?? last?.type ?? 'failed'
  return new RpcError('unavailable', `${about}: ${scrub(String(why), url).slice(0, 200)}`)
}

/** The error in a provider's response. */
export function refused(
  url: string,
  method: string,
  error: { readonly code?: unknown; readonly message?: unknown },
): RpcError {
  const text = scrub(String(error.message ?? ''), url).slice(0, 200)
  const code = scrub(String(error.code), url).slice(0, 20)
  const message = `${new URL(url).host}: ${method}: error ${code}: ${text}`
  return new RpcError(faultOf(method, error.code), message)
}

/** The fault of a refused call, by its method. Messages and codes are not reliable: each provider has its own. */
function faultOf(method: string, code: unknown): RpcFault {
  if (method === 'eth_getLogs') return 'range'
  return method === 'eth_call' && code === revertCode ? 'reverted' : 'unavailable'
}

type Cause = {
  readonly name?: string
  readonly code?: unknown
  readonly message?: string
  readonly type?: string
  readonly cause?: unknown
}

function chainOf(error: unknown): Cause[] {
  const causes: Cause[] = []
  for (let next = error; next && typeof next === 'object' && causes.length < 10; ) {
    causes.push(next as Cause)
    next = (next as Cause).cause
  }
  return causes
}

/** Providers quote the request's path, which holds the key. */
function scrub(text: string, url: string): string {
  const { pathname, search, username, password } = new URL(url)
  const parts = [username, password, ...pathname.split('/'), ...search.split(/[?&=]/)]
  const secrets = parts.filter((part) => part.length >= 6).sort((a, b) => b.length - a.length)
  return secrets
    .flatMap((secret) => [secret, decodeURIComponent(secret)])
    .reduce((clean, secret) => clean.replaceAll(secret, '…'), text)
    .replaceAll(/(https?|wss?):\/\/\S+/g, '…')
}
