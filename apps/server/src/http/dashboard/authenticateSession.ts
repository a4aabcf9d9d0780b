import { type Mode, modeSchema } from '@payment-intents/contract'
import { HttpError, invalidBody, rateLimited } from '@payment-intents/core'
import type { FastifyRequest } from 'fastify'
import type { AccountContext } from '../../account/accountEndpoint.ts'
import { findSession, type SignedIn, storeSessionUse } from '../../store/account/sessions.ts'
import { clientAddress } from '../limits/clientAddress.ts'
import { createRateLimit } from '../limits/rateLimit.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { checkSameOrigin } from './sameOrigin.ts'
import { sessionHash } from './sessionCookie.ts'

/** The least time between two writes of a session's last use. */
const useEveryMs = 60_000

/** The header that names the mode which a request reads and changes. */
const modeHeader = 'payment-intents-mode'

export type AuthenticateSession = (
  request: FastifyRequest,
) => Promise<SignedIn & { readonly mode: Mode }>

/** Finds who is signed in. Each request reads the database, so that a revoked session ends at once. */
export function createAuthenticateSession({
  db,
  database,
  now,
  dashboardUrl,
  keyLimit,
}: AccountContext & Pick<HttpContext, 'keyLimit'>): AuthenticateSession {
  const failures = createRateLimit({ ...keyLimit, now: () => performance.now() })
  return async (request) => {
    checkSameOrigin(request, dashboardUrl)
    const mode = modeOf(request)
    const hash = sessionHash(request, dashboardUrl)
    const address = clientAddress(request)
    const seconds = failures.wait(address)
    if (seconds > 0) throw rateLimited(seconds)
    const signedIn = hash && (await findSession(db.pool, { hash, mode, now: now() }))
    if (!signedIn) {
      if (hash) failures.take(address)
      throw new HttpError('session_invalid', 'Nobody is signed in, or the session has ended.')
    }
    const { id, lastUsedAt } = signedIn.session
    if (now() - lastUsedAt > useEveryMs) storeSessionUse(db.pool, id, now()).catch(database.report)
    return { ...signedIn, mode }
  }
}

/** @throws {HttpError} `invalid_body` */
export function modeOf({ headers }: FastifyRequest): Mode {
  const mode = modeSchema.safeParse(headers[modeHeader])
  if (mode.success) return mode.data
  const message = `must be ${modeSchema.options.join(' or ')}`
  throw invalidBody([{ path: 'Payment-Intents-Mode', message }])
}
