import { hashToken, newToken } from '../lib/crypto/token.ts'
import { insertSignInLink } from '../store/account/signInLinks.ts'
import type { Queryable } from '../store/connection/connect.ts'
import type { AccountContext } from './accountEndpoint.ts'

/** The time for which a link of the command line is valid. */
export const signInSeconds = 10 * 60
/** The time for which an invitation is valid. */
export const invitationSeconds = 7 * 24 * 60 * 60

/**
 * Creates a link that signs a person in once. It replaces the person's earlier link. Its token is in the fragment, so
 * that no server, log or preview robot sees it: only the page's script sends it.
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
