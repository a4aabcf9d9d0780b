import * as http from 'node:http'
import * as https from 'node:https'
import { buffer } from 'node:stream/consumers'

export type UpstreamResponse = {
  readonly status: number
  readonly headers: http.OutgoingHttpHeaders
  readonly body: Buffer
}

type Upstream = {
  /** Passes the request on and returns the complete response. */
  forward(incoming: http.IncomingMessage, body: Buffer): Promise<UpstreamResponse>
  close(): void
}

/** Responds to requests without a fault from a server or with JSON. */
export function openUpstream(upstream: string | { readonly json: unknown }): Upstream {
  if (typeof upstream !== 'string') {
    const response = jsonResponse(200, upstream.json)
    return { forward: async () => response, close() {} }
  }
  const base = upstream.replace(/\/+$/, '')
  const { Agent, request } = base.startsWith('https:') ? https : http
  const agent = new Agent({ keepAlive: true })
  return {
    forward: async (incoming, body) => {
      try {
        return await forward(request, agent, base, incoming, body)
      } catch (error) {
        const message = `The upstream ${base} sent no response: ${(error as Error).message}`
        return jsonResponse(502, { message })
      }
    },
    close: () => agent.destroy(),
  }
}

export function jsonResponse(
  status: number,
  json: unknown,
  headers: http.OutgoingHttpHeaders = {},
): UpstreamResponse {
  const body = Buffer.from(JSON.stringify(json))
  return { status, headers: { 'content-type': 'application/json', ...headers }, body }
}

async function forward(
  request: typeof http.request,
  agent: http.Agent,
  base: string,
  incoming: http.IncomingMessage,
  body: Buffer,
): Promise<UpstreamResponse> {
  const { host: _, ...headers } = endToEnd(incoming.headers)
  const outgoing = request(base + incoming.url, { agent, method: incoming.method, headers })
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).on('error', reject).end(body)
  })
  return {
    status: response.statusCode ?? 502,
    headers: endToEnd(response.headers),
    body: await buffer(response),
  }
}

/** RFC 9110, section 7.6.1; lengths are set again. */
const hopByHop = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'upgrade',
  'te',
]

function endToEnd(headers: http.IncomingHttpHeaders): http.OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.includes(name)))
}
