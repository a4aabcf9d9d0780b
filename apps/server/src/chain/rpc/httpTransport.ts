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

/** More calls than any poll makes at once, and fewer than make a provider truncate the response. */
const largestBatch = 100
/** The maximum of a batch: several responses are in memory, and parsed, at once. */
const batchResponseBytes = 8 * 1024 * 1024

/**
 * JSON-RPC over HTTP. Calls of one turn of the event loop are one batch, and each result goes to the call with its id, since results may be
 * missing. A call whose response is too large or too slow fails alone.
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

  /** @returns whether no call was refused */
  async function send(calls: readonly Call[]): Promise<boolean> {
    try {
      const response = await post(calls)
      if (calls.length > 1 && response.type === 'refused') {
        const areAccepted = await sendHalves(calls)
        // Both halves succeeded, so the batch had too many calls, or too large a response.
        if (areAccepted) size.refused(calls.length)
        return areAccepted
      }
      if (response.type === 'responded') size.parseBatch(calls.length)
      const cut = cutOff(calls, response)
      for (const call of calls) if (!cut.has(call)) settle(call, response)
      if (cut.size > 0) return await send([...cut])
      return response.type === 'responded'
    } catch (error) {
      if (calls.length > 1 && isFault(error, 'oversized')) return sendHalves(calls)
      if (isSlow(error) && calls.length > smallestRetryBatch) {
        // Do not halve after a timeout: each half could time out, too.
        const sent = await Promise.all(calls.map((call) => send([call])))
        return !sent.includes(false)
      }
      for (const call of calls) call.reject(faultOf(call, error))
      return false
    }
  }

  /** Sends one half after the other, since each response may have the maximum size. */
  async function sendHalves(calls: readonly Call[]): Promise<boolean> {
    const half = Math.floor(calls.length / 2)
    const first = await send(calls.slice(0, half))
    return (await send(calls.slice(half))) && first
  }

  /** Returns the calls beyond a provider's limit on the response of a batch, which are sent again in another batch. */
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
        new RpcError('unavailable', `${new URL(url).host}: ${method} is missing in the response`),
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

/** Full batches that must succeed before a larger one is tried: a single response may have been too large. */
const calmEnough = 200

/** Learns the size of batches: some providers accept few calls at once, or a single call. */
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

/** Whether an error may come from other calls of the batch. Callers themselves retry log queries and transactions. */
function isRepeatable({ method }: Call, error: RpcResponse['error']): boolean {
  if (!error || method === 'eth_getLogs' || method === 'eth_sendRawTransaction') return false
  return method !== 'eth_call' || error.code !== revertCode
}

/** After a timeout, the calls of a larger batch are sent again, each alone. A poll's head and logs are not, so that a silent provider gets no
 * second request. */
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

/** A log query that fails is a fault of its range. */
function faultOf({ method }: Call, error: unknown): unknown {
  const isRange = method === 'eth_getLogs' && isFault(error, 'oversized')
  return isRange ? new RpcError('range', error.message) : error
}

type BatchResponse =
  /** The provider refused the whole batch. */
  | { readonly type: 'refused'; readonly error: NonNullable<RpcResponse['error']> }
  | { readonly type: 'responded'; readonly byId: ReadonlyMap<unknown, RpcResponse> }

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
      // A provider without batches accepts a single call.
      body: JSON.stringify(body.length === 1 ? body[0] : body),
      signal: AbortSignal.timeout(timeoutMs),
      // The operator chose this URL; a redirect may lead to one without encryption.
      redirect: 'manual',
    })
    const parsed = sole(parse(await readBody(response, host, maxBytesOf(calls))))
    // Some providers add a JSON-RPC error, which could look like an error about ranges.
    if (response.status === 429) throw new RpcError('unavailable', `${host}: HTTP 429`)
    if (Array.isArray(parsed)) return parseBatch(parsed)
    if (isRefusal(parsed)) return { type: 'refused', error: parsed.error }
    if (response.ok && isObject(parsed)) return parseBatch([parsed])
    const fault = response.ok ? 'a response that is not JSON-RPC' : `HTTP ${response.status}`
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
    if (size > maxBytesOf) throw new RpcError('oversized', `${host}: the response is too large`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function parseBatch(replies: readonly unknown[]): BatchResponse {
  return {
    type: 'responded',
    byId: new Map(replies.filter(isObject).map((reply: RpcResponse) => [reply.id, reply])),
  }
}

/** Returns the error of a batch that the provider refused with an array of one error. */
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
