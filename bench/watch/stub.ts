/**
 * A provider of a made-up chain, in a process of its own so that its work is not counted: a block every two
 * seconds of its clock, `transfers` strangers' transfers in each.
 */
import { createServer } from 'node:http'
import { serveParent } from '../child.ts'

type Question = { id: number; method: string; params: unknown[] }
type Filter = { fromBlock: string; toBlock: string; address: string[]; topics: (string[] | null)[] }

export type StubState = {
  head: number
  /** Unix seconds of block 0. */
  genesis: number
  /** In each block. */
  transfers: number
  /** Most blocks in one log query. */
  maxBlocks: number
}
export type StubCount = { http: number; calls: number; logQueries: number }

const topic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const separator = '71f17a3b2ff373b803d70a5a07c046c1a2bc8e89c09ef722fcb047abe94c9818'
const constants: Record<string, string> = {
  '0x95d89b41': `0x${word(32)}${word(4)}${Buffer.from('USDC').toString('hex').padEnd(64, '0')}`,
  '0x313ce567': `0x${word(6)}`,
  '0x3644e515': `0x${separator}`,
}

let state: StubState = { head: 0, genesis: 0, transfers: 0, maxBlocks: 10_000 }
let count: StubCount = { http: 0, calls: 0, logQueries: 0 }

const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  if (request.url === '/state') {
    state = { ...state, ...JSON.parse(body) }
    response.end(JSON.stringify(count))
    count = { http: 0, calls: 0, logQueries: 0 }
    return
  }
  count.http += 1
  const requested: Question | Question[] = JSON.parse(body)
  const responses = [requested].flat().map((question) => ({
    jsonrpc: '2.0',
    id: question.id,
    ...respond(question),
  }))
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(Array.isArray(requested) ? responses : responses[0]))
})
serveParent(server)

function respond({ method, params }: Question): object {
  count.calls += 1
  switch (method) {
    case 'eth_chainId':
      return { result: '0x14a34' }
    case 'eth_call':
      return { result: constants[(params[0] as { data: string }).data] }
    case 'eth_getBlockByNumber':
      return { result: block(params[0] === 'latest' ? state.head : Number(params[0])) }
    case 'eth_getBlockByHash':
      return { result: block(Number.parseInt(String(params[0]).slice(3), 16)) }
    case 'eth_getLogs':
      count.logQueries += 1
      return logs(params[0] as Filter)
    default:
      return { error: { code: -32601, message: `no ${method} here` } }
  }
}

function block(number: number): object | null {
  if (number > state.head) return null
  const timestamp = `0x${(state.genesis + number * 2).toString(16)}`
  return {
    number: `0x${number.toString(16)}`,
    hash: hash(number),
    parentHash: hash(number - 1),
    timestamp,
  }
}

function logs({ fromBlock, toBlock, address, topics }: Filter): object {
  const from = Number(fromBlock)
  const to = toBlock === 'latest' ? state.head : Number(toBlock)
  if (to - from + 1 > state.maxBlocks) {
    return { error: { code: -32600, message: `up to a ${state.maxBlocks} block range` } }
  }
  // Only a query for the whole token returns strangers' transfers.
  if (topics[2]) return { result: [] }
  const result: object[] = []
  for (let number = from; number <= to; number += 1) {
    for (let index = 0; index < state.transfers; index += 1) {
      result.push({
        address: address[0],
        topics: [topic, `0x${word(index)}`, `0x${word(10 ** 9 + index)}`],
        data: `0x${word(5_000_000)}`,
        blockNumber: `0x${number.toString(16)}`,
        blockHash: hash(number),
        transactionHash: `0x${word(number * 1_000 + index)}`,
        transactionIndex: '0x1',
        logIndex: `0x${index.toString(16)}`,
        removed: false,
      })
    }
  }
  return { result }
}

function hash(number: number): string {
  return `0xb${Math.max(0, number).toString(16).padStart(63, '0')}`
}

function word(value: number): string {
  return value.toString(16).padStart(64, '0')
}
