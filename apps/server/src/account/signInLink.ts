import { hashToken, newToken } from '../lib/crypto/token.ts'
import { insertSignInLink } from '../store/account/signInLinks.ts'
import type { Queryable } from '../store/connection/connect.ts'
import type { AccountContext } from './accountEndpoint.ts'

/** How long a link of the command line is valid. */
export const signInSeconds = 10 * 60
/** How long an invitation is valid. */
export const invitationSeconds = 7 * 24 * 60 * 60

/**
 * A link that signs a person in once, and replaces their earlier one. Its token is in the fragment: no server, log or
 * preview robot sees it, and a page has to send it.
 */
export async function createSignInLink(
  db: Queryable,
  { now, dashboardUrl }: Pick<AccountContext, 'now' | 'dashboardUrl'>,
  personId: string,
  seconds: number,
): Promise<string> {
  const token = newToken()
  const createdAt = now()
  const expiresAt = createdAt + seconds * 1_000
  await insertSignInLink(db, { hash: hashToken(token), personId, createdAt, expiresAt })
  return `${dashboardUrl}/sign-in#${token}`
}
