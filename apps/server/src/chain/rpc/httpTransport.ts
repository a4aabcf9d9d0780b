import { basicAuthorization } from '../../lib/basicAuthorization.ts'
import { userAgent } from '../../version.ts'
import { RpcError, refused, revertCode } from './rpcError.ts'
import type { CallOptions, RpcTransport } from './rpcTransport.ts'

type Call = {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
  readonly options: CallOptions
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}
type RpcResponse = {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code?: unknown; readonly message: string }
}

/** More than any poll needs at once, and less than what makes a provider cut the response short. */
const largestBatch = 100
/** Several batches are in memory at once, and parsed there. */
const batchResponseBytes = 8 * 1024 * 1024

/**
 * JSON-RPC over HTTP. Calls of one turn of the event loop are one batch, and each result goes to the call with its id:
 * by its place, one that is missing would be taken for its neighbor's. A call whose response is too large or too slow
 * fails alone, whatever was sent with it.
 *
 * @param timeoutMs for the whole response, its body included
 */
export function httpTransport(url: string, timeoutMs: number): RpcTransport {
  const post = poster(url, timeoutMs)
  let waiting: Call[] = []
  let sent = 0
  const size = createBatchSize()

  function flush(): void {
    const calls = waiting
    waiting = []
    const limit = size.limit()
    for (let start = 0; start < calls.length; start += limit) {
      void send(calls.slice(start, start + limit))
    }
  }

  /** @returns whether none of them was refused */
  async function send(calls: readonly Call[]): Promise<boolean> {
    try {
      const response = await post(calls)
      if (calls.length > 1 && response.type === 'refused') {
        const areAccepted = await sendHalves(calls)
        // Both halves succeeded, so the batch was too much: its calls, or the response to them.
        if (areAccepted) size.refused(calls.length)
        return areAccepted
      }
      if (response.type === 'answered') size.parseBatch(calls.length)
      const cut = cutOff(calls, response)
      for (const call of calls) if (!cut.has(call)) settle(call, response)
      if (cut.size > 0) return await send([...cut])
      return response.type === 'answered'
    } catch (error) {
      if (calls.length > 1 && isFault(error, 'oversized')) return sendHalves(calls)
      if (isSlow(error) && calls.length > smallestRetryBatch) {
        // Halving would take another timeout for each half.
        const sent = await Promise.all(calls.map((call) => send([call])))
        return !sent.includes(false)
      }
      for (const call of calls) call.reject(faultOf(call, error))
      return false
    }
  }

  /** One after the other: each response may have the largest size. */
  async function sendHalves(calls: readonly Call[]): Promise<boolean> {
    const half = Math.floor(calls.length / 2)
    const first = await send(calls.slice(0, half))
    return (await send(calls.slice(half))) && first
  }

  /** Some providers limit the response to a batch, and refuse the calls beyond: these are sent again without the others. */
  function cutOff(calls: readonly Call[], response: BatchResponse): ReadonlySet<Call> {
    const failed = calls.filter((call) => isRepeatable(call, errorOf(call, response)))
    return new Set(failed.length < calls.length ? failed : [])
  }

  function settle(call: Call, response: BatchResponse): void {
    const { id, method, resolve, reject } = call
    const error = errorOf(call, response)
    const reply = response.type === 'refused' ? undefined : response.byId.get(id)
    if (error) reject(refused(url, method, error))
    else if (reply && 'result' in reply) resolve(reply.result)
    else
      reject(
        new RpcError('unavailable', `${new URL(url).host}: ${method} was left out of the answer`),
      )
  }

  return (method, params, options = {}) =>
    new Promise((resolve, reject) => {
      sent += 1
      const call: Call = { id: sent, method, params, options, resolve, reject }
      if (options.unbatched) void send([call])
      else if (waiting.push(call) === 1) setImmediate(flush)
    })
}

/** Full batches that succeed before a larger batch is tried: a single response may have been too much. */
const calmEnough = 200

/** Some providers allow few calls at once, or one. */
function createBatchSize() {
  let limit = largestBatch
  let calm = 0
  return {
    limit: () => limit,
    refused(calls: number) {
      limit = Math.min(limit, Math.floor(calls / 2))
      calm = 0
    },
    parseBatch(calls: number) {
      if (calls < limit || limit === largestBatch) return
      calm += 1
      if (calm < calmEnough) return
      limit = Math.min(largestBatch, limit * 2)
      calm = 0
    },
  }
}

/** Whether an error may be for the calls beside it. Log queries and transactions are repeated by those who send them. */
function isRepeatable({ method }: Call, error: RpcResponse['error']): boolean {
  if (!error || method === 'eth_getLogs' || method === 'eth_sendRawTransaction') return false
  return method !== 'eth_call' || error.code !== revertCode
}

/** Each poll requests the head and its logs: a provider that is silent then gets no second request in parts. */
const smallestRetryBatch = 2

function isSlow(error: unknown): boolean {
  return (error as Error).name === 'TimeoutError'
}

function isFault(error: unknown, fault: RpcError['fault']): error is RpcError {
  return error instanceof RpcError && error.fault === fault
}

function errorOf({ id }: Call, response: BatchResponse): RpcResponse['error'] {
  return response.type === 'refused' ? response.error : response.byId.get(id)?.error
}

/** The logs of fewer blocks can be requested. */
function faultOf({ method }: Call, error: unknown): unknown {
  const isRange = method === 'eth_getLogs' && isFault(error, 'oversized')
  return isRange ? new RpcError('range', error.message) : error
}

type BatchResponse =
  /** One error for the whole batch. */
  | { readonly type: 'refused'; readonly error: NonNullable<RpcResponse['error']> }
  | { readonly type: 'answered'; readonly byId: ReadonlyMap<unknown, RpcResponse> }

function poster(url: string, timeoutMs: number) {
  const { origin, host, pathname, search } = new URL(url)
  const headers = {
    ...{ 'content-type': 'application/json', accept: 'application/json', 'user-agent': userAgent },
    ...basicAuthorization(url),
  }

  return async (calls: readonly Call[]): Promise<BatchResponse> => {
    const body = calls.map(({ id, method, params }) => ({ jsonrpc: '2.0', id, method, params }))
    const response = await fetch(origin + pathname + search, {
      method: 'POST',
      headers,
      // A provider that knows no batches takes a call alone.
      body: JSON.stringify(body.length === 1 ? body[0] : body),
      signal: AbortSignal.timeout(timeoutMs),
      // The operator chose this URL; a redirect may lead to one without encryption.
      redirect: 'manual',
    })
    const parsed = sole(parse(await readBody(response, host, maxBytesOf(calls))))
    // Some providers send a JSON-RPC error along, in words that could be about ranges.
    if (response.status === 429) throw new RpcError('unavailable', `${host}: HTTP 429`)
    if (Array.isArray(parsed)) return parseBatch(parsed)
    if (isRefusal(parsed)) return { type: 'refused', error: parsed.error }
    if (response.ok && isObject(parsed)) return parseBatch([parsed])
    const fault = response.ok ? 'an answer that is no JSON-RPC' : `HTTP ${response.status}`
    throw new RpcError(response.status === 413 ? 'oversized' : 'unavailable', `${host}: ${fault}`)
  }
}

function maxBytesOf(calls: readonly Call[]): number {
  const [first] = calls
  return (calls.length === 1 && first?.options.maxBytes) || batchResponseBytes
}

async function readBody(response: Response, host: string, maxBytesOf: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > maxBytesOf) throw new RpcError('oversized', `${host}: the answer is too large`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function parseBatch(replies: readonly unknown[]): BatchResponse {
  return {
    type: 'answered',
    byId: new Map(replies.filter(isObject).map((reply: RpcResponse) => [reply.id, reply])),
  }
}

/** Some providers refuse a batch by an array of one error. */
function sole(reply: unknown): unknown {
  return Array.isArray(reply) && reply.length === 1 ? reply[0] : reply
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isRefusal(reply: unknown): reply is { error: NonNullable<RpcResponse['error']> } {
  return isObject(reply) && isObject(reply.error) && typeof reply.error.message === 'string'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
