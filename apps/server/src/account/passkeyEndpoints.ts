import { conflict, invalidBody } from '@payment-intents/core'
import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { z } from 'zod'
import {
  deletePasskey,
  insertPasskey,
  listPasskeys,
  type Passkey,
} from '../store/account/passkeys.ts'
import { type AccountContext, accountEndpoint } from './accountEndpoint.ts'
import { singleLineText, toRfc3339 } from './fieldFormats.ts'
import { noSuch } from './noSuch.ts'
import {
  type PasskeyResponse,
  passkeyResponseSchema,
  relyingParty,
  storeChallenge,
  takeExpected,
} from './passkeyCheck.ts'

/** Per person. */
const maxPasskeys = 20

const registrationSchema = z.strictObject({
  label: singleLineText,
  response: passkeyResponseSchema,
})

export const passkeyEndpoints = {
  listPasskeys: accountEndpoint({
    ...{ method: 'GET', path: '/account/passkeys', role: 'reader', needsProof: false },
    async handle({ db }, { person }) {
      const passkeys = await listPasskeys(db.pool, person.id)
      return { body: { data: passkeys.map(presentPasskey) } }
    },
  }),

  startPasskeyRegistration: accountEndpoint({
    ...{ method: 'POST', path: '/account/passkeys/options', role: 'reader' },
    ...{ needsProof: true, isUnlogged: true },
    async handle(context, { session, person, merchantName }) {
      const { generateRegistrationOptions } = await import('@simplewebauthn/server')
      const passkeys = await listPasskeys(context.db.pool, person.id)
      if (passkeys.length >= maxPasskeys) {
        throw conflict(
          'illegal_state',
          `A person has at most ${maxPasskeys} passkeys. Delete a passkey first.`,
        )
      }
      const options = await generateRegistrationOptions({
        rpName: 'payment-intents',
        rpID: relyingParty(context),
        userName: `${person.name}, ${merchantName}`,
        userID: new TextEncoder().encode(person.id),
        attestationType: 'none',
        excludeCredentials: passkeys.map(({ id }) => ({ id })),
        // `residentKey` makes the passkey discoverable: the browser finds it without a user name.
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
      await storeChallenge(context, session.id, options.challenge)
      return { body: options }
    },
  }),

  createPasskey: accountEndpoint({
    ...{ method: 'POST', path: '/account/passkeys', role: 'reader', needsProof: true },
    notice: 'registered a passkey',
    body: registrationSchema,
    async handle(context, { session, person, body: { label, response } }) {
      const { db, now } = context
      const credential = await checkRegistration(context, response, session.id)
      if (!credential) {
        const message = 'does not match the newest registration request. Try again'
        throw invalidBody([{ path: 'response', message }])
      }
      const passkey: Passkey = {
        ...{ id: credential.id, label, counter: credential.counter, createdAt: now() },
        ...{ publicKey: Buffer.from(credential.publicKey), lastUsedAt: null },
        transports: credential.transports ?? [],
      }
      if (!(await insertPasskey(db.pool, { ...passkey, personId: person.id }))) {
        throw conflict('illegal_state', 'This passkey is registered already.')
      }
      return { body: presentPasskey(passkey), subject: passkey.id }
    },
  }),

  deletePasskey: accountEndpoint({
    ...{ method: 'DELETE', path: '/account/passkeys/:id', role: 'reader', needsProof: true },
    notice: 'deleted a passkey',
    async handle({ db }, { person, id }) {
      if (!(await deletePasskey(db.pool, id, person.id))) throw noSuch('passkey')
      return { body: { id, deleted: true } }
    },
  }),
}

async function checkRegistration(
  context: AccountContext,
  response: PasskeyResponse,
  sessionId: string,
) {
  const expected = await takeExpected(context, response, sessionId)
  if (!expected) return null
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const verified = await verifyRegistrationResponse({
    response: response as unknown as RegistrationResponseJSON,
    ...expected,
  }).catch(() => null)
  return verified?.verified ? verified.registrationInfo.credential : null
}

function presentPasskey({ id, label, createdAt, lastUsedAt }: Passkey) {
  return {
    ...{ id, label, created_at: toRfc3339(createdAt) },
    last_used_at: lastUsedAt === null ? null : toRfc3339(lastUsedAt),
  }
}
