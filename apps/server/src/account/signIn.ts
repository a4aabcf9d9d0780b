import { type HttpError, invalidBody } from '@payment-intents/core'
import { z } from 'zod'
import { hashToken, isToken } from '../lib/crypto/token.ts'
import { listPasskeys } from '../store/account/passkeys.ts'
import type { Person } from '../store/account/people.ts'
import { listSessions, revokeSession, verifySession } from '../store/account/sessions.ts'
import { takeSignInLink } from '../store/account/signInLinks.ts'
import { transaction } from '../store/connection/connect.ts'
import { type AccountContext, accountEndpoint, visitorEndpoint } from './accountEndpoint.ts'
import { openSession, verifiedUntil } from './accountSession.ts'
import { toRfc3339 } from './fieldFormats.ts'
import { noSuch } from './noSuch.ts'
import { checkPasskey, newAuthenticationOptions, passkeyResponseSchema } from './passkeyCheck.ts'

const linkSchema = z.strictObject({ token: z.string() })
const passkeySchema = z.strictObject({ response: passkeyResponseSchema })

/** Endpoints for people who are not signed in. */
export const visitorEndpoints = {
  signInByLink: visitorEndpoint({
    ...{ method: 'POST', path: '/account/sign_in/link' },
    body: linkSchema,
    async handle({ db, now }, { body: { token }, userAgent }) {
      const session = await transaction(db, async (client) => {
        const person = isToken(token) ? await takeSignInLink(client, hashToken(token), now()) : null
        if (!person) throw linkRefused()
        return openSession(client, { person, userAgent, now: now(), by: 'signInByLink' })
      })
      return { body: {}, session }
    },
  }),

  startPasskeySignIn: visitorEndpoint({
    ...{ method: 'POST', path: '/account/sign_in/passkey_options' },
    async handle(context) {
      return { body: await newAuthenticationOptions(context, null, []) }
    },
  }),

  signInByPasskey: visitorEndpoint({
    ...{ method: 'POST', path: '/account/sign_in/passkey' },
    body: passkeySchema,
    async handle(context, { body: { response }, userAgent }) {
      const { db, now } = context
      const person = await checkPasskey(context, response, null)
      if (!person) throw passkeyRefused()
      const session = await transaction(db, (client) =>
        openSession(client, { person, userAgent, now: now(), by: 'signInByPasskey' }),
      )
      return { body: {}, session }
    },
  }),
}

export const sessionEndpoints = {
  retrieveSession: accountEndpoint({
    ...{ method: 'GET', path: '/account/session', role: 'reader', needsProof: false },
    async handle({ db, modes }, { session, person, merchantName, merchant, mode }) {
      const passkeys = await listPasskeys(db.pool, person.id)
      const { id, name, email, role } = person
      return {
        body: {
          id: session.id,
          person: { id, name, email, role },
          merchant: { id: merchant.id, name: merchantName },
          ...{ mode, modes, passkeys: passkeys.length },
          expires_at: toRfc3339(session.expiresAt),
          verified_until: toRfc3339(verifiedUntil(session)),
        },
      }
    },
  }),

  startProof: accountEndpoint({
    ...{ method: 'POST', path: '/account/session/passkey_options', role: 'reader' },
    ...{ needsProof: false, isUnlogged: true },
    async handle(context, { session, person }) {
      const passkeys = await listPasskeys(context.db.pool, person.id)
      return { body: await newAuthenticationOptions(context, session.id, passkeys) }
    },
  }),

  /** Accepts only a passkey of this person. */
  verifySession: accountEndpoint({
    ...{ method: 'POST', path: '/account/session/proof', role: 'reader', needsProof: false },
    body: passkeySchema,
    async handle(context, { session, person, body }) {
      const passkey = await checkPasskey(context, body.response, session.id)
      if (passkey?.id !== person.id) throw passkeyRefused()
      const now = context.now()
      await verifySession(context.db.pool, session.id, now)
      return { body: { verified_until: toRfc3339(verifiedUntil({ ...session, verifiedAt: now })) } }
    },
  }),

  signOut: accountEndpoint({
    ...{ method: 'POST', path: '/account/session/sign_out', role: 'reader', needsProof: false },
    async handle(context, { session, merchant, person }) {
      await endSession(context, session.id, { merchantId: merchant.id, personId: person.id })
      return { body: {}, session: null }
    },
  }),

  listSessions: accountEndpoint({
    ...{ method: 'GET', path: '/account/sessions', role: 'reader', needsProof: false },
    async handle({ db, now }, { merchant, person, session: current }) {
      const sessions = await listSessions(db.pool, {
        ...{ merchantId: merchant.id, personId: visiblePersonId(person), now: now() },
      })
      const data = sessions.map(({ id, personId, personName, userAgent, ...times }) => ({
        ...{ id, person: { id: personId, name: personName }, user_agent: userAgent },
        is_current: id === current.id,
        created_at: toRfc3339(times.createdAt),
        last_used_at: toRfc3339(times.lastUsedAt),
        expires_at: toRfc3339(times.expiresAt),
      }))
      return { body: { data } }
    },
  }),

  /** Needs no proof, so that a person can end a stranger's session at once. */
  revokeSession: accountEndpoint({
    ...{ method: 'DELETE', path: '/account/sessions/:id', role: 'reader', needsProof: false },
    async handle(context, { merchant, person, id }) {
      await endSession(context, id, { merchantId: merchant.id, personId: visiblePersonId(person) })
      return { body: { id, revoked: true } }
    },
  }),
}

/** The person whose sessions somebody may see and end; null: an owner may see and end all. */
function visiblePersonId({ id, role }: Person): string | null {
  return role === 'owner' ? null : id
}

async function endSession(
  { db, now }: AccountContext,
  id: string,
  of: { merchantId: string; personId: string | null },
): Promise<void> {
  if (await revokeSession(db.pool, id, of, now())) return
  throw noSuch('session')
}

function linkRefused(): HttpError {
  return invalidBody([
    {
      path: 'token',
      message: 'the link was used, has expired or was replaced by a newer link. Request a new link',
    },
  ])
}

function passkeyRefused(): HttpError {
  return invalidBody([
    { path: 'response', message: 'no passkey of this account has signed this request. Try again' },
  ])
}
