import { HttpError, parse, rateLimited } from '@payment-intents/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type {
  AccountContext,
  AccountEndpoint,
  AccountResponse,
  VisitorEndpoint,
} from '../../account/accountEndpoint.ts'
import { accountEndpoints } from '../../account/accountEndpoints.ts'
import { verifiedUntil } from '../../account/accountSession.ts'
import { audited } from '../../account/auditLogEndpoints.ts'
import { visitorEndpoints } from '../../account/signIn.ts'
import { revokeByHash, type SignedIn } from '../../store/account/sessions.ts'
import { checkRole } from '../authentication/caller.ts'
import { clientAddress } from '../limits/clientAddress.ts'
import { createRateLimit, type Limit } from '../limits/rateLimit.ts'
import { readBody } from '../transport/body.ts'
import type { ObjectRoute } from '../transport/serveEndpoint.ts'
import { type AuthenticateSession, modeOf } from './authenticateSession.ts'
import { checkSameOrigin } from './sameOrigin.ts'
import { sessionCookie, sessionHash } from './sessionCookie.ts'

/** Endpoints of the account. No API key opens them. */
export function accountRoutes(
  app: FastifyInstance,
  context: AccountContext,
  authenticate: AuthenticateSession,
): void {
  for (const [name, endpoint] of Object.entries(accountEndpoints)) {
    accountRoute(app, context, authenticate, { ...endpoint, name })
  }
}

function accountRoute(
  app: FastifyInstance,
  context: AccountContext,
  authenticate: AuthenticateSession,
  endpoint: AccountEndpoint & { readonly name: string },
): void {
  const { method, path: url, role, needsProof, name, body: schema } = endpoint
  const authenticated = new WeakMap<FastifyRequest, Awaited<ReturnType<AuthenticateSession>>>()
  app.route<ObjectRoute>({
    ...{ method, url },
    // Before the body is read, so that a request without a session costs little.
    async onRequest(request) {
      const signedIn = await authenticate(request)
      checkRole(signedIn.person.role, role)
      if (needsProof) checkProof(signedIn, context.now())
      authenticated.set(request, signedIn)
    },
    async handler(request, reply) {
      const signedIn = authenticated.get(request)
      if (!signedIn) throw new Error('The request was not authenticated.')
      const { id = '' } = request.params
      const body = bodyOf(request, schema)
      const query = new URLSearchParams(request.url.split('?')[1])
      const handle = () => endpoint.handle(context, { ...signedIn, id, query, body: body as never })
      if (method === 'GET' || endpoint.isUnlogged) return respond(reply, context, await handle())
      const actor = { personId: signedIn.person.id }
      const action = { merchantId: signedIn.merchant.id, mode: null, actor, action: name }
      const notice = endpoint.notice && noticeOf(signedIn, endpoint.notice, context)
      const entry = { ...action, subject: id || null, body, ...(notice ? { notice } : {}) }
      const response = await audited(context, entry, handle)
      context.notifications.keysChanged()
      return respond(reply, context, response)
    },
  })
}

/**
 * The endpoints of a person who is not signed in.
 * @param limit for the requests of one address
 */
export function visitorRoutes(app: FastifyInstance, context: AccountContext, limit: Limit): void {
  const requests = createRateLimit({ ...limit, now: () => performance.now() })
  for (const endpoint of Object.values(visitorEndpoints)) visitorRoute(endpoint)

  function visitorRoute({ method, path: url, body: schema, handle }: VisitorEndpoint): void {
    app.route({
      ...{ method, url },
      async onRequest(request) {
        checkSameOrigin(request, context.dashboardUrl)
        modeOf(request)
        const seconds = requests.take(clientAddress(request))
        if (seconds > 0) throw rateLimited(seconds)
      },
      async handler(request, reply) {
        const { 'user-agent': userAgent = '' } = request.headers
        const response = await handle(context, {
          body: bodyOf(request, schema) as never,
          userAgent,
        })
        // Ends this browser's previous session: an attacker may have put it there.
        const earlier = response.session && sessionHash(request, context.dashboardUrl)
        if (earlier) await revokeByHash(context.db.pool, earlier, context.now())
        return respond(reply, context, response)
      },
    })
  }
}

/** The mail to every owner about a change to the account. */
function noticeOf(
  { person, merchantName }: SignedIn,
  noun: string,
  { dashboardUrl }: AccountContext,
) {
  return {
    subject: `${person.name} ${noun}`,
    text: `${person.name} ${noun} of ${merchantName}.\n\nIf nobody of you meant to, revoke their sessions and remove them: ${dashboardUrl}/settings/people\n`,
  }
}

/** @throws {HttpError} `proof_required` */
function checkProof({ session }: SignedIn, now: number): void {
  if (verifiedUntil(session) > now) return
  throw new HttpError(
    'proof_required',
    'Use a passkey, or sign in by a new link: this changes who controls the account.',
  )
}

function bodyOf(request: FastifyRequest, schema: z.ZodType | undefined): unknown {
  if (!schema) return undefined
  return parse(schema, readBody(request.body).value)
}

function respond(
  reply: FastifyReply,
  { dashboardUrl, now }: AccountContext,
  { body, session }: AccountResponse,
): FastifyReply {
  if (session !== undefined) reply.header('set-cookie', sessionCookie(session, dashboardUrl, now()))
  return reply.header('cache-control', 'no-store').send(body)
}
