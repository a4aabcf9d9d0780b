/**
 * What a provider did wrong: it refused so large a range of blocks, had an answer that is too large for it or for us,
 * did not answer in time, could not be used at all, or answered what cannot be true. `reverted` is no fault of its own:
 * the contract that was called refused.
 */
export type RpcFault =
  | 'reverted'
  | 'range'
  | 'oversized'
  | 'timeout'
  | 'unavailable'
  | 'contradiction'

/**
 * A provider's failure. Its URL may hold an API key, so the message names the host alone, and the error that
 * led to it is not kept: it would print the URL and the request.
 */
export class RpcError extends Error {
  readonly fault: RpcFault

  constructor(fault: RpcFault, message: string) {
    super(message)
    this.name = 'RpcError'
    this.fault = fault
  }
}

type Asked = { readonly url: string; readonly method: string }

/** Providers word it each in their own way, and use the same codes for rate limits. */
const rangeWords =
  /block range|range.{0,20}(large|wide|exceed|limit)|(too many|more than|max\w*|limit).{0,20}(results|logs|blocks)|(results|logs|blocks).{0,20}(too many|limit|exceed)|(response|result|body|content|payload).{0,20}(too (big|large)|exceed)|query timeout|query returned/i

/** How nodes word the end of a call that a contract, or its gas, has ended. */
const revertWords =
  /revert|out of gas|outofgas|gas required exceeds|invalid (opcode|jump)|stack (under|over)flow|vm execution/i

/** Says in words without a secret what went wrong with a question. */
export function toRpcError(error: unknown, { url, method }: Asked): RpcError {
  if (error instanceof RpcError) return error
  const about = `${new URL(url).host}: ${method}`
  const causes = chainOf(error)
  if (causes.some((cause) => cause.name === 'TimeoutError')) {
    return new RpcError('timeout', `${about}: no answer in time`)
  }
  const answered = causes.find((cause) => cause.name === 'RpcRequestError')
  if (answered) {
    return refused(url, method, { code: answered.code, message: String(answered.details ?? '') })
  }
  const last = causes.at(-1)
  const why = last?.code ?? last?.message ?? last?.type ?? 'failed'
  return new RpcError('unavailable', `${about}: ${scrub(String(why), url).slice(0, 200)}`)
}

/** The error that a provider answered a question with. */
export function refused(
  url: string,
  method: string,
  error: { readonly code?: unknown; readonly message?: unknown },
): RpcError {
  const text = scrub(String(error.message ?? ''), url).slice(0, 200)
  const isTooMuch = rangeWords.test(text) && method !== 'eth_getBlockByNumber'
  const tooMuch = method === 'eth_getLogs' ? 'range' : 'oversized'
  const hasReverted = method === 'eth_call' && (error.code === 3 || revertWords.test(text))
  const fault = hasReverted ? 'reverted' : isTooMuch ? tooMuch : 'unavailable'
  const code = scrub(String(error.code), url).slice(0, 20)
  return new RpcError(fault, `${new URL(url).host}: ${method}: error ${code}: ${text}`)
}

type Cause = {
  readonly name?: string
  readonly code?: unknown
  readonly message?: string
  readonly type?: string
  readonly details?: unknown
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
