import { Readable } from 'node:stream'
import { limits } from '@payment-intents/contract'
import type { StreamedResponse } from '@payment-intents/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createHeldLimit } from '../../limits/heldLimit.ts'
import type { HttpContext } from '../httpContext.ts'

/** A reader that takes no piece for longer is disconnected: it holds a place that others need. */
const stalledMs = 60_000

type Streaming = {
  readonly merchantId: string
  /** The id of the API key or of the person. */
  readonly callerId: string
  readonly begin: () => Promise<StreamedResponse>
  /** Rejects once the caller may no longer read. */
  readonly authorize: () => Promise<void>
}

export type SendStream = (
  request: FastifyRequest,
  reply: FastifyReply,
  streaming: Streaming,
) => Promise<Readable>

/**
 * Streams responses. A piece is read once the reader has taken the previous piece. Each read counts as a request of its
 * merchant; between two reads the stream holds no connection to the database.
 */
export function createSendStream({
  limiter,
  database,
}: Pick<HttpContext, 'limiter' | 'database'>): SendStream {
  const hold = createHeldLimit(limits.exports)

  return async (request, reply, { merchantId, callerId, begin, authorize }) => {
    const release = hold(callerId, merchantId)
    // A response that is already closed emits no `close`.
    if (reply.raw.destroyed) release()
    else reply.raw.once('close', release)
    const { headers, pieces } = await limiter(merchantId, begin)
    reply.headers(headers)
    if (request.method === 'HEAD') return Readable.from([])
    const next = async () => {
      await authorize()
      return limiter(merchantId, () => pieces.next())
    }
    return Readable.from(
      send(next, () => breakOff(request)),
      { highWaterMark: 0 },
    )
  }

  async function* send(next: () => Promise<IteratorResult<string>>, breakOff: () => void) {
    try {
      for (let { done, value } = await next(); !done; { done, value } = await next()) {
        const late = setTimeout(breakOff, stalledMs)
        try {
          yield value
        } finally {
          clearTimeout(late)
        }
      }
    } catch (error) {
      database.report(error)
      breakOff()
      throw error
    }
  }
}

/** Resets the connection. After an orderly close, a response without chunks (HTTP/1.0) would look complete. */
function breakOff({ raw }: FastifyRequest): void {
  raw.socket.resetAndDestroy()
}
