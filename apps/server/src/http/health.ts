import type { FastifyInstance } from 'fastify'
import type { HttpContext } from './context.ts'
import { readLagsInTime } from './lags.ts'

/** A watched chain that this server follows and that was not read for this long makes it not ready. */
const longestLagSeconds = 60

export function healthRoutes(app: FastifyInstance, context: HttpContext): void {
  app.get('/livez', async () => ({ status: 'ok' }))

  app.get('/readyz', async (request, reply) => {
    const lags = await readLagsInTime(context, request.log)
    // One that was taken out of the configuration is followed by no process, and its wallets stay watched.
    const followed = lags?.filter(({ chainId }) => context.network(chainId))
    const chains = followed?.map(({ chainId, seconds }) => ({
      chain_id: chainId,
      lag_seconds: Math.round(seconds),
      clock_skew_seconds: Math.round(context.clock(chainId).skewMs / 1000),
    }))
    const degraded = chains?.some((chain) => chain.clock_skew_seconds !== 0)
    const ready = followed?.every(({ seconds }) => seconds <= longestLagSeconds) ?? false
    reply.status(ready ? 200 : 503)
    return {
      // It goes on with the chain's clock.
      status: ready ? (degraded ? 'degraded' : 'ok') : 'not_ready',
      database: lags ? 'ok' : 'unreachable',
      chains: chains ?? [],
    }
  })
}
