import { hashToken, newToken } from '../lib/crypto/token.ts'
import { insertAuditEntry } from '../store/account/auditLog.ts'
import type { Person } from '../store/account/people.ts'
import { insertSession, type SignedIn } from '../store/account/sessions.ts'
import type { Queryable } from '../store/connection/connect.ts'
import { newId } from '../store/lists/ids.ts'
import type { NewSession } from './accountEndpoint.ts'

const sessionMs = 12 * 60 * 60 * 1_000
/** The time for which a passkey or a sign-in link counts as proof of who a person is. */
const verifiedForMs = 10 * 60 * 1_000
const shownLength = 200

/**
 * Opens a session for a person who has just signed in, with an entry in the audit log.
 * @param signIn `now` is in Unix milliseconds
 */
export async function openSession(
  db: Queryable,
  signIn: {
    readonly person: Pick<Person, 'id' | 'merchantId'>
    readonly userAgent: string
    readonly now: number
    readonly by: 'signInByLink' | 'signInByPasskey'
  },
): Promise<NewSession> {
  const { person, userAgent, now, by } = signIn
  const token = newToken()
  const expiresAt = now + sessionMs
  const id = newId('ses', now)
  await insertSession(db, {
    ...{ id, hash: hashToken(token), personId: person.id },
    ...{ userAgent: userAgent.slice(0, shownLength), createdAt: now, expiresAt, verifiedAt: now },
  })
  await insertAuditEntry(db, {
    ...{ id: newId('log', now), merchantId: person.merchantId, mode: null, action: by },
    ...{
      actor: { personId: person.id },
      subject: id,
      details: {},
      createdAt: now,
      outcome: 'done',
    },
  })
  return { token, expiresAt }
}

/** The time until which the session's last passkey or link counts as proof, in Unix milliseconds. */
export function verifiedUntil({ verifiedAt }: SignedIn['session']): number {
  return verifiedAt + verifiedForMs
}
