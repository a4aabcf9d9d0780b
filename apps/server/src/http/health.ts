import type { FastifyInstance } from 'fastify'
import { readLags } from '../db/chainCursors.ts'
import type { HttpContext } from './context.ts'

/** A watched chain that was not read for this long makes the server not ready. */
const longestLagSeconds = 60

export function healthRoutes(app: FastifyInstance, context: HttpContext): void {
  app.get('/livez', async () => ({ status: 'ok' }))

  app.get('/readyz', async (request, reply) => {
    const lags = await readLags(context.db.pool).catch((error: Error) => {
      request.log.warn({ err: error }, 'the database does not answer')
      return null
    })
    const chains = lags?.map(({ chainId, seconds }) => ({
      chain_id: chainId,
      lag_seconds: Math.round(seconds),
    }))
    const ready = lags?.every(({ seconds }) => seconds <= longestLagSeconds) ?? false
    reply.status(ready ? 200 : 503)
    return {
      status: ready ? 'ok' : 'not_ready',
      database: lags ? 'ok' : 'unreachable',
      chains: chains ?? [],
    }
  })
}
