import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { listenLocally } from '../../../../../tests/support/listenLocally.ts'

/** Faults that a test turns on and off while the proxy runs. Everything else passes unchanged. */
export type Faults = {
  /** Knows this many newest blocks, but not their logs. */
  emptyLogs?: number
  /** Lags behind by this many blocks. */
  behind?: number
  /** Returns no block above this number, like a node that has stopped. */
  frozenAt?: number
  /** Responds to every request with this status and a page. */
  page?: 200 | 429 | 502
  chainId?: number
  duplicateLogs?: true
  /** Never responds, and holds the connection. */
  hang?: true
  /** Starts a response, but never ends it. */
  hangBody?: true
  /** Breaks the connection. */
  reset?: true
  /** Omits every second response from a batch. */
  leaveOut?: true
  /** Refuses log queries over more blocks. */
  maxBlocks?: number
  /** Refuses log queries over more blocks in one of the ways of real providers. */
  refuseLogs?: { blocks: number } & Refusal
  /** Refuses whole batches of more calls. */
  refuseBatches?: { calls: number; words: string }
  /** Refuses log queries with more results. */
  maxResults?: number
  /** Refuses responses of more bytes, to any request. */
  maxBytes?: number
  /** Responds to a call of a contract, by its calldata. */
  calls?: Record<string, string>
  /** Responds that it knows no receipt. */
  noReceipts?: true
  /** Knows neither these transactions nor their receipts, but lists their logs. */
  unknown?: Pick<ReadonlySet<string>, 'has'>
  /** Breaks a request that names one of these, like a gateway whose response is too large for it. */
  poison?: Pick<ReadonlySet<string>, 'has'>
  /** Responds in place of the node, which it may call. A thrown value is the message of an error. */
  instead?: (
    method: string,
    callProvider: () => Promise<unknown>,
    params: unknown[],
  ) => Promise<unknown>
}

/** A status, silence, or an error with `forAll` applies to the whole HTTP request. */
export type Refusal =
  | { words: string; code?: number; forAll?: true }
  | { status: number }
  | { silence: 'reset' | 'hang' }

export type FaultProxy = {
  readonly url: string
  readonly host: string
  faults: Faults
  /** The methods of each HTTP request so far. */
  readonly requests: string[][]
  /** Stops listening until `open` is called. */
  shut(): Promise<void>
  open(): Promise<void>
}

/**
 * Refuses the requests that the node refuses, in unknown words.
 * @param code null: the node's own code
 */
export function inUnknownWords(code: number | null = null): NonNullable<Faults['instead']> {
  return (_method, callProvider) =>
    callProvider().catch((error: Error & { code?: number }) => {
      throw Object.assign(new Error('qwertz asdfgh'), { code: code ?? error.code })
    })
}

/** A result that is already JSON, since serialising it for each request would take too long. */
export class RawJson {
  readonly parts: readonly string[]
  constructor(...parts: string[]) {
    this.parts = parts
  }
}

type Question = { id: number; method: string; params: unknown[] }
type ResponseBody = { id: number; result?: unknown; error?: { code: number; message: string } }
type Filter = { fromBlock: string; toBlock: string }

/** Starts a proxy for JSON-RPC in front of a real node, with the faults of providers. `path` is part of its URL. */
export async function startFaultProxy(target: string, path = ''): Promise<FaultProxy> {
  const requests: string[][] = []
  const server = createServer((request, response) => {
    // The node may have stopped.
    handle(request, response).catch(() => response.destroy())
  })
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end()
      return
    }
    let body = ''
    for await (const chunk of request) body += chunk
    const batch: Question | Question[] = JSON.parse(body)
    requests.push([batch].flat().map(({ method }) => method))
    const { hang, hangBody, reset, poison = new Set() } = proxy.faults
    const isPoisoned = [batch].flat().some(({ params: [hash] }) => poison.has(String(hash)))
    const page = proxy.faults.page ?? (isPoisoned ? 502 : undefined)
    const refusal = await refusalOf(target, proxy.faults, [batch].flat())
    if (reset) response.socket?.resetAndDestroy()
    else if (refusal) refuse(response, refusal)
    else if (page) sendPage(response, page, request.url ?? '')
    else if (hangBody) response.writeHead(200, { 'content-type': 'application/json' }).write('[')
    else if (!hang) {
      const responses = await respond(target, proxy.faults, [batch].flat())
      const parts = responses.flatMap((reply, index) => [index > 0 ? ',' : '', ...toJson(reply)])
      const text = Array.isArray(batch) ? ['[', ...parts, ']'] : parts
      const bytes = text.reduce((sum, part) => sum + part.length, 0)
      if (bytes > (proxy.faults.maxBytes ?? Infinity)) response.writeHead(413).end()
      else {
        response.setHeader('content-type', 'application/json')
        // The caller may have closed the connection.
        await pipeline(Readable.from(text), response).catch(() => {})
      }
    }
  }
  const { port, url, close } = await listenLocally(server)
  const proxy: FaultProxy = {
    url: `${url}${path}`,
    host: `127.0.0.1:${port}`,
    faults: {},
    requests,
    shut: close,
    open: async () => void (await listenLocally(server, port)),
  }
  return proxy
}

/** The refusal of the whole request, if any. */
async function refusalOf(target: string, faults: Faults, requested: Question[]) {
  const { refuseLogs, refuseBatches } = faults
  if (refuseBatches && requested.length > refuseBatches.calls) return refuseBatches
  if (!refuseLogs || ('words' in refuseLogs && !refuseLogs.forAll)) return null
  const head = Number(await forward(target, 'eth_blockNumber', []))
  const refused = requested.some(
    ({ method, params }) => method === 'eth_getLogs' && isRefused(refuseLogs, params, head),
  )
  return refused ? refuseLogs : null
}

function isRefused({ blocks }: { blocks: number }, params: unknown[], head: number): boolean {
  const [{ fromBlock, toBlock }] = params as [Filter]
  return (toBlock === 'latest' ? head : Number(toBlock)) - Number(fromBlock) + 1 > blocks
}

function refuse(response: ServerResponse, refusal: Refusal): void {
  if ('status' in refusal) response.writeHead(refusal.status).end('too much')
  else if ('words' in refusal) {
    const error = { code: refusal.code ?? -32000, message: refusal.words }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
  } else if (refusal.silence === 'reset') response.socket?.resetAndDestroy()
}

function toJson({ id, result, error }: ResponseBody): readonly string[] {
  if (!(result instanceof RawJson)) return [JSON.stringify({ jsonrpc: '2.0', id, result, error })]
  return [`{"jsonrpc":"2.0","id":${id},"result":`, ...result.parts, '}']
}

function sendPage(response: ServerResponse, status: number, path: string): void {
  // Some gateways repeat the path, which may hold a key.
  response.writeHead(status, { 'content-type': 'text/html' })
  response.end(`<html><body>Cannot POST ${path}</body></html>`)
}

async function respond(
  target: string,
  faults: Faults,
  requested: Question[],
): Promise<ResponseBody[]> {
  const head = Number(await forward(target, 'eth_blockNumber', []))
  const visible = Math.min(head - (faults.behind ?? 0), faults.frozenAt ?? Infinity)
  const responses = await Promise.all(
    requested.map(async ({ id, method, params }): Promise<ResponseBody> => {
      try {
        const callProvider = () => respondToCall(target, faults, { head, visible }, method, params)
        return {
          id,
          result: await (faults.instead?.(method, callProvider, params) ?? callProvider()),
        }
      } catch (error) {
        const { code = -32602, message } = error as Error & { code?: number }
        return { id, error: { code, message } }
      }
    }),
  )
  return faults.leaveOut ? responses.filter((_, index) => index % 2 === 0) : responses
}

async function respondToCall(
  target: string,
  faults: Faults,
  { head, visible }: { head: number; visible: number },
  method: string,
  params: unknown[],
): Promise<unknown> {
  if (method === 'eth_chainId' && faults.chainId) return `0x${faults.chainId.toString(16)}`
  if (method === 'eth_getTransactionReceipt' && faults.noReceipts) return null
  if (isOfTransaction.test(method) && faults.unknown?.has(String(params[0]))) return null
  const plantedResult =
    method === 'eth_call' && faults.calls?.[(params[0] as { data: string }).data]
  if (plantedResult) return plantedResult
  if (method === 'eth_getBlockByNumber') {
    const number = params[0] === 'latest' ? visible : Number(params[0])
    return number > visible ? null : forward(target, method, [hex(number), false])
  }
  if (method !== 'eth_getLogs') return forward(target, method, params)

  const [filter] = params as [Filter]
  const from = Number(filter.fromBlock)
  const to = filter.toBlock === 'latest' ? visible : Number(filter.toBlock)
  if (to > head) throw new Error('block range extends beyond current head block')
  const { maxBlocks, maxResults, refuseLogs, emptyLogs = 0 } = faults
  if (refuseLogs && 'words' in refuseLogs && isRefused(refuseLogs, params, visible)) {
    throw Object.assign(new Error(refuseLogs.words), { code: refuseLogs.code })
  }
  if (maxBlocks && to - from + 1 > maxBlocks) {
    throw new Error(`You can make eth_getLogs requests with up to a ${maxBlocks} block range.`)
  }
  const current = Math.min(to, visible, head - emptyLogs)
  if (current < from) return []
  const range = [{ ...filter, fromBlock: hex(from), toBlock: hex(current) }]
  const logs = (await forward(target, method, range)) as unknown[]
  if (maxResults && logs.length > maxResults) {
    throw new Error(`query returned more than ${maxResults} results`)
  }
  return faults.duplicateLogs ? [...logs, ...logs] : logs
}

const isOfTransaction = /^eth_getTransaction(ByHash|Receipt)$/

async function forward(target: string, method: string, params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(target, { method: 'POST', headers, body })
  const { result, error } = (await response.json()) as ResponseBody
  if (error) throw Object.assign(new Error(error.message), { code: error.code })
  return result
}

function hex(number: number): string {
  return `0x${number.toString(16)}`
}
