import type { ServerResponse } from 'node:http'
import { errorTable } from '@payment-intents/contract/errors'
import type { Fault } from './fault.ts'
import { jsonResponse, type UpstreamResponse } from './faultServerUpstream.ts'

/** Used for responses that are never sent completely. */
const sample = jsonResponse(200, { id: 'pi_01', status: 'requires_payment' })

/**
 * Applies a fault to a request.
 *
 * @param forward passes the request on and returns the upstream's response
 */
export async function playFault(
  fault: Fault,
  response: ServerResponse,
  forward: () => Promise<UpstreamResponse>,
): Promise<void> {
  const responds = fault.type === 'none' || fault.type === 'delay' || fault.type === 'trickle'
  const upstreamResponse = responds || fault.committed ? await forward() : sample
  const half = upstreamResponse.body.subarray(0, upstreamResponse.body.length / 2)

  switch (fault.type) {
    case 'none':
      return send(response, upstreamResponse)
    case 'delay': {
      const timer = setTimeout(() => send(response, upstreamResponse), fault.milliseconds)
      response.once('close', () => clearTimeout(timer))
      return
    }
    case 'trickle':
      return trickle(response, upstreamResponse, fault.milliseconds)
    case 'error':
      return send(response, serviceError(fault))
    case 'page':
      return send(response, page(fault))
    case 'redirect': {
      const { location, status = 307 } = fault
      return send(response, { status, headers: { location }, body: Buffer.alloc(0) })
    }
    case 'reset': {
      if (fault.at === 'headers') response.socket?.resetAndDestroy()
      else
        begin(response, upstreamResponse, 'length').write(half, () =>
          response.socket?.resetAndDestroy(),
        )
      return
    }
    case 'stall': {
      if (fault.at === 'body') begin(response, upstreamResponse, 'length').write(half)
      return
    }
    case 'truncate': {
      begin(response, upstreamResponse, fault.framing).write(half, () => response.socket?.end())
      return
    }
    case 'broken_json':
      return send(response, { ...upstreamResponse, body: half })
    case 'wrong_shape':
      return send(response, jsonResponse(200, { unexpected: true }))
    case 'broken_gzip': {
      const headers = { ...upstreamResponse.headers, 'content-encoding': 'gzip' }
      return send(response, { ...upstreamResponse, headers, body: Buffer.from('this is no gzip') })
    }
    case 'unsolicited_response': {
      const { socket } = response
      socket?.cork()
      send(response, serviceError({ type: 'error', code: 'internal_error' }))
      socket?.write(onTheWire(fault.json))
      socket?.uncork()
      return
    }
    case 'not_http': {
      response.socket?.end('SSH-2.0-OpenSSH_10.0\r\n')
      return
    }
  }
}

function serviceError(fault: Extract<Fault, { type: 'error' }>): UpstreamResponse {
  const { code, reason } = fault
  const { status, hint } = errorTable[code]
  const request_id = 'req_fault'
  const body = { error: code, message: hint, request_id, ...(reason && { reason }) }
  return jsonResponse(status, body, { 'x-request-id': request_id, ...hints(fault) })
}

function page(fault: Extract<Fault, { type: 'page' }>): UpstreamResponse {
  const { status, body = `<html><body><h1>${status}</h1></body></html>` } = fault
  const headers = { 'content-type': 'text/html', ...hints(fault) }
  return { status, headers, body: Buffer.from(body) }
}

function hints(fault: { retryAfter?: number | Date; shouldRetry?: boolean }) {
  const { retryAfter: after, shouldRetry } = fault
  return {
    ...(after !== undefined && {
      'retry-after': typeof after === 'number' ? String(after) : after.toUTCString(),
    }),
    ...(shouldRetry !== undefined && { 'x-should-retry': String(shouldRetry) }),
  }
}

function send(response: ServerResponse, { status, headers, body }: UpstreamResponse): void {
  response.writeHead(status, { ...headers, 'content-length': body.length }).end(body)
}

function onTheWire(json: unknown): string {
  const body = JSON.stringify(json)
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** Sends the head of a response. */
function begin(
  response: ServerResponse,
  { status, headers, body }: UpstreamResponse,
  framing: 'length' | 'chunked',
): ServerResponse {
  const length = framing === 'length' ? { 'content-length': body.length } : {}
  return response.writeHead(status, { ...headers, ...length })
}

function trickle(
  response: ServerResponse,
  upstreamResponse: UpstreamResponse,
  milliseconds: number,
): void {
  const { body } = upstreamResponse
  begin(response, upstreamResponse, 'length')
  let sent = 0
  const timer = setInterval(() => {
    sent += 1
    response.write(body.subarray(sent - 1, sent))
    if (sent >= body.length) response.end()
  }, milliseconds)
  response.once('close', () => clearInterval(timer))
}
