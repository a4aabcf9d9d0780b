import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { ConflictReason, ErrorCode } from '@payment-intents/contract'
import { playFault } from './faultServerPlay.ts'
import { openUpstream } from './faultServerUpstream.ts'

/** What happens to one request. */
export type Fault =
  /** Nothing: it is passed on, and its answer back. */
  | { readonly type: 'none' }
  /** Passed on at once; the answer comes so many milliseconds late. */
  | { readonly type: 'delay'; readonly milliseconds: number }
  /** Passed on; the answer's body comes byte by byte, one every so many milliseconds. */
  | { readonly type: 'trickle'; readonly milliseconds: number }
  | (Disturbance & {
      /** The upstream gets the request all the same, and its answer is lost; otherwise it never hears of it. */
      readonly committed?: boolean
    })

type Disturbance =
  /** An error of the service, with the status that belongs to its code. */
  | ({ readonly type: 'error'; readonly code: ErrorCode; readonly reason?: ConflictReason } & Hints)
  /** An answer of something in between; an HTML page unless `body` is told. Any status, 200 too. */
  | ({ readonly type: 'page'; readonly status: number; readonly body?: string } & Hints)
  | { readonly type: 'redirect'; readonly location: string; readonly status?: number }
  /** The connection is reset (RST) before the answer, or in the middle of its body. */
  | { readonly type: 'reset'; readonly at: 'headers' | 'body' }
  /** Nothing more comes, and the connection stays open: before the answer, or in the middle of its body. */
  | { readonly type: 'stall'; readonly at: 'headers' | 'body' }
  /** The body ends before its `Content-Length`, or without the last chunk, by an orderly close (FIN). */
  | { readonly type: 'truncate'; readonly framing: 'length' | 'chunked' }
  /** 200 with the first half of a JSON text. */
  | { readonly type: 'broken_json' }
  /** 200 with JSON that no endpoint answers. */
  | { readonly type: 'wrong_shape' }
  /** 200 whose body is said to be gzip, and is not. */
  | { readonly type: 'broken_gzip' }
  /** A 500, and in the same breath an answer that nobody has asked for: this JSON, as a success. */
  | { readonly type: 'unasked_answer'; readonly json: unknown }
  /** Bytes that are no HTTP, then an orderly close. */
  | { readonly type: 'not_http' }

type Hints = {
  /** `Retry-After`: seconds, or a date. */
  readonly retryAfter?: number | Date
  /** `X-Should-Retry` */
  readonly shouldRetry?: boolean
}

export type FaultRequest = {
  readonly method: string
  /** From the slash, with its query. */
  readonly path: string
  readonly idempotencyKey: string | undefined
  /** From 1, among the requests with this idempotency key; without one, among those of this method and path. */
  readonly attempt: number
  readonly body: string
}

/** One fault a request, in the order in which they come, and none after the last; or a function that decides. */
export type FaultPlan = readonly Fault[] | ((request: FaultRequest) => Fault)

export type FaultServerOptions = {
  /** The base URL of the server that gets what passes; or the JSON that answers it with 200. */
  readonly upstream: string | { readonly json: unknown }
  /** Without one nothing goes wrong. */
  readonly plan?: FaultPlan
  /** On 127.0.0.1; any free one unless told. */
  readonly port?: number
}

export type FaultServer = {
  readonly url: string
  /** All that were received whole, in order. */
  readonly requests: readonly FaultRequest[]
  /** Every idempotency key seen. */
  readonly idempotencyKeys: ReadonlySet<string>
  /** Takes the place of the plan from the next request on. */
  setPlan(plan: FaultPlan): void
  /**
   * Connections now: all that clients hold open, and those of them with a request that is not answered to its end.
   * The server closes no idle one, so what stays open is the client's doing.
   */
  sockets(): { open: number; busy: number }
  /** Breaks what is open, and returns once nothing listens. */
  stop(): Promise<void>
}

/**
 * Starts a real HTTP server on 127.0.0.1 that does to each request what its plan says: to see how a client of the
 * service, yours or `@payment-intents/node`, takes it.
 *
 * @throws Error of `node:net`, such as `EADDRINUSE`
 * @example
 * ```ts
 * import { startFaultServer } from '@payment-intents/testing/faults'
 *
 * const server = await startFaultServer({
 *   upstream: { json: { id: 'pi_01' } }, // Or the base URL of a real server.
 *   plan: [{ type: 'page', status: 502 }],
 * })
 * console.log((await fetch(server.url)).status, (await fetch(server.url)).status) // 502 200
 * await server.stop()
 * ```
 */
export async function startFaultServer(options: FaultServerOptions): Promise<FaultServer> {
  const upstream = openUpstream(options.upstream)
  const requests: FaultRequest[] = []
  const idempotencyKeys = new Set<string>()
  const attempts = new Map<string, number>()
  const open = new Set<Socket>()
  const busy = new Set<Socket>()
  let decide = decider(options.plan ?? [])

  const server = createServer(async (incoming, response) => {
    const { socket } = incoming
    busy.add(socket)
    response.once('close', () => busy.delete(socket))
    const body = await buffer(incoming).catch(() => 'broken off' as const)
    if (body === 'broken off') return
    const request = describe(incoming, body, attempts)
    requests.push(request)
    if (request.idempotencyKey !== undefined) idempotencyKeys.add(request.idempotencyKey)
    await playFault(decide(request), response, () => upstream.ask(incoming, body))
  })
  // An idle connection is the client's to close.
  server.keepAliveTimeout = 0
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    idempotencyKeys,
    setPlan(plan) {
      decide = decider(plan)
    },
    sockets: () => ({ open: open.size, busy: busy.size }),
    async stop() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
      upstream.close()
    },
  }
}

function decider(plan: FaultPlan): (request: FaultRequest) => Fault {
  if (typeof plan === 'function') return plan
  const left = [...plan]
  return () => left.shift() ?? { type: 'none' }
}

function describe(
  incoming: IncomingMessage,
  body: Buffer,
  attempts: Map<string, number>,
): FaultRequest {
  const { method = '', url: path = '', headers } = incoming
  const idempotencyKey = headers['idempotency-key']?.toString()
  const call = idempotencyKey === undefined ? `${method} ${path}` : `key ${idempotencyKey}`
  const attempt = (attempts.get(call) ?? 0) + 1
  attempts.set(call, attempt)
  return { method, path, idempotencyKey, attempt, body: body.toString() }
}
