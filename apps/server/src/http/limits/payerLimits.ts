import { rateLimited } from '@payment-intents/core'
import type { FastifyRequest } from 'fastify'
import { createConcurrencyLimiter } from '../../lib/concurrencyLimiter.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { clientAddress } from './clientAddress.ts'
import { createRateLimit } from './rateLimit.ts'

type Limiting = Pick<
  HttpContext,
  'resolveLimit' | 'addressLimit' | 'requestConnections' | 'database'
>

/** Limits of a route that is open to anyone: per address before a body is read, then per intent. */
export function createPayerLimits(context: Limiting) {
  const now = () => performance.now()
  const byIntent = createRateLimit({ ...context.resolveLimit, now })
  const byAddress = createRateLimit({ ...context.addressLimit, now })
  const { requestConnections, database } = context
  const limit = createConcurrencyLimiter({
    limit: requestConnections,
    waiting: 1_000,
    waitMs: 5_000,
    database,
  })
  return {
    async countAddress(request: FastifyRequest): Promise<void> {
      refuseBeyond(byAddress.take(clientAddress(request)))
    },
    /** @param intentId null: the secret is a guess, which counts for its address */
    countIntent(request: FastifyRequest, intentId: string | null): void {
      refuseBeyond(byIntent.take(intentId ?? clientAddress(request)))
    },
    /** All payers together use only a part of the connections, so that merchants get some. */
    limit: <Result>(work: () => Promise<Result>) => limit('payers', work),
  }
}

function refuseBeyond(seconds: number): void {
  if (seconds > 0) throw rateLimited(seconds)
}
