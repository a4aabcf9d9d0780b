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
type Answer = {
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
    const most = size.most()
    for (let start = 0; start < calls.length; start += most) {
      void send(calls.slice(start, start + most))
    }
  }

  /** @returns whether none of them was refused */
  async function send(calls: readonly Call[]): Promise<boolean> {
    try {
      const response = await post(calls)
      if (calls.length > 1 && response.type === 'refused') {
        const isAnswered = await sendHalves(calls)
        // The halves were answered, so the batch was too much: in its calls, or in the response to them.
        if (isAnswered) size.refused(calls.length)
        return isAnswered
      }
      if (response.type === 'answered') size.answered(calls.length)
      const cut = cutOff(calls, response)
      for (const call of calls) if (!cut.has(call)) settle(call, response)
      if (cut.size > 0) return await send([...cut])
      return response.type === 'answered'
    } catch (error) {
      if (calls.length > 1 && isFault(error, 'oversized')) return sendHalves(calls)
      if (isSlow(error) && calls.length > sentAtLeast) {
        // Halving would take another timeout for each half.
        const sent = await Promise.all(calls.map((call) => send([call])))
        return !sent.includes(false)
      }
      for (const call of calls) call.reject(faultOf(call, error))
      return false
    }
  }

  /** One after the other: each may be as large as is taken at once. */
  async function sendHalves(calls: readonly Call[]): Promise<boolean> {
    const half = Math.floor(calls.length / 2)
    const first = await send(calls.slice(0, half))
    return (await send(calls.slice(half))) && first
  }

  /** Some providers limit the response to a batch, and refuse the calls beyond: these are sent again without the others. */
  function cutOff(calls: readonly Call[], response: Answered): ReadonlySet<Call> {
    const failed = calls.filter((call) => isRepeatable(call, errorOf(call, response)))
    return new Set(failed.length < calls.length ? failed : [])
  }

  function settle(call: Call, response: Answered): void {
    const { id, method, resolve, reject } = call
    const error = errorOf(call, response)
    const answer = response.type === 'refused' ? undefined : response.byId.get(id)
    if (error) reject(refused(url, method, error))
    else if (answer && 'result' in answer) resolve(answer.result)
    else
      reject(
        new RpcError('unavailable', `${new URL(url).host}: ${method} was left out of the answer`),
      )
  }

  return (method, params, options = {}) =>
    new Promise((resolve, reject) => {
      sent += 1
      const call: Call = { id: sent, method, params, options, resolve, reject }
      if (options.alone) void send([call])
      else if (waiting.push(call) === 1) setImmediate(flush)
    })
}

/** Full batches that are answered before a larger one is tried: what was too much may have been one response. */
const calmEnough = 200

/** Some providers allow few calls at once, or one. */
function createBatchSize() {
  let most = largestBatch
  let calm = 0
  return {
    most: () => most,
    refused(calls: number) {
      most = Math.min(most, Math.floor(calls / 2))
      calm = 0
    },
    answered(calls: number) {
      if (calls < most || most === largestBatch) return
      calm += 1
      if (calm < calmEnough) return
      most = Math.min(largestBatch, most * 2)
      calm = 0
    },
  }
}

/** Whether an error may be for the calls beside it. Log queries and transactions are repeated by those who send them. */
function isRepeatable({ method }: Call, error: Answer['error']): boolean {
  if (!error || method === 'eth_getLogs' || method === 'eth_sendRawTransaction') return false
  return method !== 'eth_call' || error.code !== revertCode
}

/** Each poll requests the head and its logs: a provider that is silent then is not asked again in parts. */
const sentAtLeast = 2

function isSlow(error: unknown): boolean {
  return (error as Error).name === 'TimeoutError'
}

function isFault(error: unknown, fault: RpcError['fault']): error is RpcError {
  return error instanceof RpcError && error.fault === fault
}

function errorOf({ id }: Call, response: Answered): Answer['error'] {
  return response.type === 'refused' ? response.error : response.byId.get(id)?.error
}

/** The logs of fewer blocks can be requested. */
function faultOf({ method }: Call, error: unknown): unknown {
  const isRange = method === 'eth_getLogs' && isFault(error, 'oversized')
  return isRange ? new RpcError('range', error.message) : error
}

type Answered =
  /** One error for the whole batch. */
  | { readonly type: 'refused'; readonly error: NonNullable<Answer['error']> }
  | { readonly type: 'answered'; readonly byId: ReadonlyMap<unknown, Answer> }

function poster(url: string, timeoutMs: number) {
  const { origin, host, pathname, search } = new URL(url)
  const headers = {
    ...{ 'content-type': 'application/json', accept: 'application/json', 'user-agent': userAgent },
    ...basicAuthorization(url),
  }

  return async (calls: readonly Call[]): Promise<Answered> => {
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
    const answer = sole(parse(await read(response, host, mostBytes(calls))))
    // Some providers send a JSON-RPC error along, in words that could be about ranges.
    if (response.status === 429) throw new RpcError('unavailable', `${host}: HTTP 429`)
    if (Array.isArray(answer)) return answered(answer)
    if (isRefusal(answer)) return { type: 'refused', error: answer.error }
    if (response.ok && isObject(answer)) return answered([answer])
    const what = response.ok ? 'an answer that is no JSON-RPC' : `HTTP ${response.status}`
    throw new RpcError(response.status === 413 ? 'oversized' : 'unavailable', `${host}: ${what}`)
  }
}

function mostBytes(calls: readonly Call[]): number {
  const [first] = calls
  return (calls.length === 1 && first?.options.maxBytes) || batchResponseBytes
}

async function read(response: Response, host: string, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > mostBytes) throw new RpcError('oversized', `${host}: the answer is too large`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function answered(answers: readonly unknown[]): Answered {
  return {
    type: 'answered',
    byId: new Map(answers.filter(isObject).map((answer: Answer) => [answer.id, answer])),
  }
}

/** An array of one error is how some refuse a batch. */
function sole(answer: unknown): unknown {
  return Array.isArray(answer) && answer.length === 1 ? answer[0] : answer
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isRefusal(answer: unknown): answer is { error: NonNullable<Answer['error']> } {
  return isObject(answer) && isObject(answer.error) && typeof answer.error.message === 'string'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
