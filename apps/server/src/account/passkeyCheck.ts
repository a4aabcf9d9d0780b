import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialRequestOptionsJSON,
  WebAuthnCredential,
} from '@simplewebauthn/server'
import { z } from 'zod'
import {
  findPasskey,
  insertChallenge,
  type Passkey,
  recordPasskeyUse,
  takeChallenge,
} from '../store/account/passkeys.ts'
import type { Person } from '../store/account/people.ts'
import type { AccountContext } from './accountEndpoint.ts'

/** The time for which a challenge is valid. */
const challengeMs = 5 * 60 * 1_000

/** A response of the browser's WebAuthn. The library checks the rest of its content. */
export const passkeyResponseSchema = z.looseObject({
  id: z.string().max(1_400),
  type: z.literal('public-key'),
  response: z.looseObject({ clientDataJSON: z.string().max(10_000) }),
})
export type PasskeyResponse = z.output<typeof passkeyResponseSchema>

/** @param sessionId null: the challenge is for signing in */
export async function storeChallenge(
  { db, now }: Pick<AccountContext, 'db' | 'now'>,
  sessionId: string | null,
  challenge: string,
): Promise<void> {
  const expiresAt = now() + challengeMs
  await insertChallenge(db.pool, { text: challenge, sessionId, now: now(), expiresAt })
}

/**
 * Creates options for `navigator.credentials.get`, and stores their challenge.
 * @param sessionId null: the challenge is for signing in
 * @param passkeys empty: the browser offers any passkey
 */
export async function newAuthenticationOptions(
  context: AccountContext,
  sessionId: string | null,
  passkeys: readonly Passkey[],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(context),
    userVerification: 'required',
    allowCredentials: passkeys.map(({ id }) => ({ id })),
    timeout: challengeMs,
  })
  await storeChallenge(context, sessionId, options.challenge)
  return options
}

/**
 * Finds the person whose passkey signed a challenge of this session. Uses up the challenge.
 *
 * @param sessionId null: the challenge is for signing in
 * @returns null: the passkey is unknown, the signature is wrong, or the challenge was used, has expired or belongs to
 *   another session
 */
export async function checkPasskey(
  context: AccountContext,
  response: PasskeyResponse,
  sessionId: string | null,
): Promise<Person | null> {
  const { db, now } = context
  const expected = await takeExpected(context, response, sessionId)
  if (!expected) return null
  const passkey = await findPasskey(db.pool, response.id)
  if (!passkey) return null
  // The library also refuses a counter that does not grow: the authenticator was copied (WebAuthn, 6.1.1).
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const verified = await verifyAuthenticationResponse({
    response: response as unknown as AuthenticationResponseJSON,
    ...expected,
    credential: credentialOf(passkey.passkey),
  }).catch(() => null)
  if (!verified?.verified) return null
  const { newCounter: counter } = verified.authenticationInfo
  await recordPasskeyUse(db.pool, { id: response.id, counter, now: now() })
  return passkey.person
}

/**
 * Uses up the challenge that a response signs.
 *
 * @returns the values that the response must contain; null: the challenge was used, has expired or belongs to another
 *   session
 */
export async function takeExpected(
  context: AccountContext,
  response: PasskeyResponse,
  sessionId: string | null,
) {
  const { db, now, dashboardUrl } = context
  const challenge = challengeOf(response)
  const isValid = await takeChallenge(db.pool, { text: challenge, sessionId, now: now() })
  if (!isValid) return null
  return {
    expectedChallenge: challenge,
    expectedOrigin: dashboardUrl,
    expectedRPID: relyingParty(context),
    requireUserVerification: true,
  }
}

/** The challenge that a response claims to sign; empty if it names none. */
function challengeOf({ response }: PasskeyResponse): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString())
    return typeof challenge === 'string' ? challenge : ''
  } catch {
    return ''
  }
}

/** The host to which passkeys belong, on any port. */
export function relyingParty({ dashboardUrl }: Pick<AccountContext, 'dashboardUrl'>): string {
  return new URL(dashboardUrl).hostname
}

function credentialOf({ id, publicKey, counter, transports }: Passkey): WebAuthnCredential {
  return {
    ...{ id, counter, publicKey: new Uint8Array(publicKey) },
    transports: transports as AuthenticatorTransport[],
  }
}
