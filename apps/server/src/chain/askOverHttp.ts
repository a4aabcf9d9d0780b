import { userAgent } from '../version.ts'
import type { Ask } from './ask.ts'
import { RpcError, refused } from './rpcError.ts'

type Question = {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}
type Answer = {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code?: unknown; readonly message: string }
}

/** More than any reading needs at once, and less than what makes a provider cut the answer short. */
const largestBatch = 100
/** An answer that is larger is asked for in halves; that of one question is refused, not to fill the memory. */
const largestAnswer = 64 * 1024 * 1024

/**
 * JSON-RPC over HTTP. Questions of one tick of the event loop are one batch, and each answer goes to the
 * question with its id: by its place, one that is missing would be taken for its neighbour's.
 *
 * @param timeoutMs for the whole answer, its body included
 */
export function askOverHttp(url: string, timeoutMs: number): Ask {
  const post = poster(url, timeoutMs)
  let waiting: Question[] = []
  let asked = 0
  /** Some providers allow few questions at once, or one. */
  let batchSize = largestBatch

  function flush(): void {
    const questions = waiting
    waiting = []
    for (let start = 0; start < questions.length; start += batchSize) {
      send(questions.slice(start, start + batchSize))
    }
  }

  /** @returns whether none of them was refused */
  async function send(questions: readonly Question[]): Promise<boolean> {
    const half = Math.floor(questions.length / 2)
    const sendHalves = () =>
      Promise.all([send(questions.slice(0, half)), send(questions.slice(half))])
    try {
      const answered = await post(questions)
      if (answered.type === 'refused' && questions.length > 1) {
        const halves = await sendHalves()
        const isAnswered = !halves.includes(false)
        // The halves were answered, so there were too many questions in one batch.
        if (isAnswered) batchSize = Math.min(batchSize, half)
        return isAnswered
      }
      for (const question of questions) settle(question, answered)
      return answered.type === 'answered'
    } catch (error) {
      if (questions.length > 1 && isTooMuch(error, questions)) {
        return !(await sendHalves()).includes(false)
      }
      for (const question of questions) question.reject(ownFault(question, error))
      return false
    }
  }

  function settle({ id, method, resolve, reject }: Question, answered: Answered): void {
    const answer = answered.type === 'refused' ? answered : answered.byId.get(id)
    if (answer?.error) reject(refused(url, method, answer.error))
    else if (answer && 'result' in answer) resolve(answer.result)
    else
      reject(
        new RpcError('unavailable', `${new URL(url).host}: ${method} was left out of the answer`),
      )
  }

  return (method, params) =>
    new Promise((resolve, reject) => {
      asked += 1
      if (waiting.push({ id: asked, method, params, resolve, reject }) === 1) setImmediate(flush)
    })
}

/** The head and its logs are asked for at each reading: a provider that is silent then is not asked in parts. */
const askedAtLeast = 2

/** Whether fewer questions could be answered: one of them may be what is too large or too slow. */
function isTooMuch(error: unknown, questions: readonly Question[]): boolean {
  if (error instanceof RpcError) return error.fault === 'oversized'
  return (error as Error).name === 'TimeoutError' && questions.length > askedAtLeast
}

/** The logs of fewer blocks can be asked for. */
function ownFault({ method }: Question, error: unknown): unknown {
  const isRange =
    method === 'eth_getLogs' && error instanceof RpcError && error.fault === 'oversized'
  return isRange ? new RpcError('range', error.message) : error
}

type Answered =
  /** One error for all that was asked. */
  | { readonly type: 'refused'; readonly error: NonNullable<Answer['error']> }
  | { readonly type: 'answered'; readonly byId: ReadonlyMap<unknown, Answer> }

function poster(url: string, timeoutMs: number) {
  const { origin, host, pathname, search, username, password } = new URL(url)
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': userAgent,
  })
  if (username || password) {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`)
  }

  return async (questions: readonly Question[]): Promise<Answered> => {
    const calls = questions.map(({ id, method, params }) => ({
      jsonrpc: '2.0',
      id,
      method,
      params,
    }))
    const response = await fetch(origin + pathname + search, {
      method: 'POST',
      headers,
      // A provider that knows no batches takes a question alone.
      body: JSON.stringify(calls.length === 1 ? calls[0] : calls),
      signal: AbortSignal.timeout(timeoutMs),
      // The operator chose this URL; a redirect may lead to one without encryption.
      redirect: 'manual',
    })
    const answer = sole(parse(await read(response, host)))
    // Some providers send a JSON-RPC error along, in words that could be about ranges.
    if (response.status === 429) throw new RpcError('unavailable', `${host}: HTTP 429`)
    if (Array.isArray(answer)) return answered(answer)
    if (isRefusal(answer)) return { type: 'refused', error: answer.error }
    if (response.ok && isObject(answer)) return answered([answer])
    const what = response.ok ? 'an answer that is no JSON-RPC' : `HTTP ${response.status}`
    throw new RpcError(response.status === 413 ? 'oversized' : 'unavailable', `${host}: ${what}`)
  }
}

async function read(response: Response, host: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > largestAnswer) throw new RpcError('range', `${host}: the answer is too large`)
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
