import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { Server as TcpServer } from 'node:net'
import { onTestFinished } from 'vitest'
import { type Listening, listenLocally } from '../../../tests/support/listenLocally.ts'

type Received = {
  /** `GET /v1/events?limit=1` */
  target: string
  headers: IncomingHttpHeaders
  body: string
  /** Resolves when the client has closed the connection. */
  closed: Promise<unknown>
}
export type Reply = (response: ServerResponse) => void

export const apiKey = 'sk_test_0123456789abcdefABCDEF'

export const intent = {
  id: 'pi_01',
  status: 'requires_payment',
  client_secret: 'pi_01_secret_topsecret',
  mode: 'testnet',
  chain: 'base',
  chain_id: 84532,
  confirmations_required: 5,
  amount_units: 25_000_000,
  decimals: 6,
  token_symbol: 'USDC',
  token_address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  expected_wallet: '0x1111111111111111111111111111111111111111',
  expires_at: '2030-01-01T00:00:00.000Z',
  expires_in_minutes: 30,
  lane: 'sdk',
  metadata: {},
}

export const ok = json(200, intent)

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return text(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers })
}

export function text(status: number, body: string, headers: Record<string, string> = {}): Reply {
  return (response) => response.writeHead(status, headers).end(body)
}

/** A loopback server that sends the next reply to each request; the last reply repeats. */
export async function serve(...replies: [Reply, ...Reply[]]) {
  const requests: Received[] = []
  const server = createServer(async (request, response) => {
    const received: Received = {
      target: `${request.method} ${request.url}`,
      headers: request.headers,
      body: '',
      // `once` of node:events rejects when the client resets the connection.
      closed: new Promise((resolve) => request.socket.once('close', resolve)),
    }
    const reply = replies[Math.min(requests.push(received), replies.length) - 1]
    for await (const chunk of request.setEncoding('utf8')) received.body += chunk
    reply?.(response)
  })
  return { url: (await listenInTest(server)).url, requests }
}

/** Starts a server that listens until the test ends. */
export async function listenInTest(server: TcpServer, port?: number): Promise<Listening> {
  const listening = await listenLocally(server, port)
  onTestFinished(listening.close)
  return listening
}
