import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { OptionNames } from '@payment-intents/contract/options'
import { checkOptions } from '../lib/checkOptions.ts'
import { type Fault, faultNames } from './fault.ts'
import { playFault } from './faultServerPlay.ts'
import { openUpstream } from './faultServerUpstream.ts'

export type { Fault }

export type FaultRequest = {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly idempotencyKey: string | undefined
  /** `User-Agent` */
  readonly userAgent: string | undefined
  /** Counts from 1 the requests with the same idempotency key or, without one, with the same method and path. */
  readonly attempt: number
  readonly body: string
}

/** One fault per request, in order, and none after the last; or a function that returns the fault. */
export type FaultPlan = readonly Fault[] | ((request: FaultRequest) => Fault)

export type FaultServerOptions = {
  /** The base URL of the server that requests are passed to, or JSON to respond with. */
  readonly upstream: string | { readonly json: unknown }
  /** No faults by default. */
  readonly plan?: FaultPlan
  /** On 127.0.0.1; a free port by default. */
  readonly port?: number
}

const serverOptions: OptionNames<FaultServerOptions> = {
  ...{ upstream: true, plan: true, port: true },
}

export type FaultServer = {
  readonly url: string
  /** All completely received requests, in order. */
  readonly requests: readonly FaultRequest[]
  /** All idempotency keys received. */
  readonly idempotencyKeys: ReadonlySet<string>
  /** Replaces the plan from the next request on. */
  setPlan(plan: FaultPlan): void
  /**
   * The number of open connections, and of those with a request that has no complete response. The server never closes an
   * idle connection.
   */
  sockets(): { open: number; busy: number }
  /** Destroys open connections and resolves once the port is free. */
  stop(): Promise<void>
}

/**
 * Starts an HTTP server on 127.0.0.1 that applies the faults of a plan to requests, to test how a client of the service
 * handles them.
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
  checkOptions('startFaultServer', options, serverOptions)
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
    await playFault(decide(request), response, () => upstream.forward(incoming, body))
  })
  // Only the client closes idle connections.
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
  for (const fault of plan) checkOptions('a fault', fault, faultNames, 'property')
  const remaining = [...plan]
  return () => remaining.shift() ?? { type: 'none' }
}

function describe(
  incoming: IncomingMessage,
  body: Buffer,
  attempts: Map<string, number>,
): FaultRequest {
  const { method = '', url: path = '', headers } = incoming
  const idempotencyKey = headers['idempotency-key']?.toString()
  const userAgent = headers['user-agent']
  const call = idempotencyKey === undefined ? `${method} ${path}` : `key ${idempotencyKey}`
  const attempt = (attempts.get(call) ?? 0) + 1
  attempts.set(call, attempt)
  return { method, path, idempotencyKey, userAgent, attempt, body: body.toString() }
}
