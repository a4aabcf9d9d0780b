import { RpcError } from './rpcError.ts'

type Item = { readonly id?: unknown; readonly error?: unknown }

/**
 * A `fetch` for batches of JSON-RPC: the deadline covers the body too, an answer to each question stands at
 * that question's place, and one error for the whole batch answers each of them. viem matches by place, so
 * that one missing answer would be taken for its neighbour's.
 */
export function strictFetch(timeoutMs: number): typeof fetch {
  return async (input, init) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(input, { ...init, signal })
    const text = await response.text()
    const host = new URL(String(input)).host
    // Some providers send a JSON-RPC error along, in words that could be about ranges.
    if (response.status === 429) throw new RpcError('unavailable', `${host}: HTTP 429`)
    const answer = parse(text)
    const asked = JSON.parse(String(init?.body)) as readonly { id: number }[]
    if (Array.isArray(answer)) {
      return inPlace(answer, asked) ? reply(text) : reply(arranged(answer, asked))
    }
    const { error } = (answer ?? {}) as Item
    if (error && typeof error === 'object' && 'message' in error) {
      return reply(JSON.stringify(asked.map(({ id }) => ({ jsonrpc: '2.0', id, error }))))
    }
    const what = response.ok ? 'an answer that is no JSON-RPC' : `HTTP ${response.status}`
    const fault = response.status === 413 ? 'range' : 'unavailable'
    throw new RpcError(fault, `${host}: ${what}`)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function inPlace(answers: readonly Item[], asked: readonly { id: number }[]): boolean {
  return (
    answers.length === asked.length && asked.every(({ id }, place) => answers[place]?.id === id)
  )
}

function arranged(answers: readonly Item[], asked: readonly { id: number }[]): string {
  const byId = new Map(answers.map((answer) => [answer?.id, answer]))
  const missing = { code: -32603, message: 'left out of the batch' }
  return JSON.stringify(
    asked.map(({ id }) => byId.get(id) ?? { jsonrpc: '2.0', id, error: missing }),
  )
}

function reply(body: string): Response {
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}
