import type { AuthorizationNonce } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'

/**
 * Claims what an authorization has paid for, which is given out once: to one request of who handed it in first.
 *
 * @param claim.request names the request that gives it out, also when it is sent again
 * @returns `refused`: it is somebody else's, or was given out to another request
 */
export async function claimAuthorization(
  db: Queryable,
  { chainId, from, nonce }: AuthorizationNonce,
  { claimant, request }: { claimant: string; request: string },
): Promise<'claimed' | 'refused'> {
  const { rowCount } = await db.query({
    name: 'claim-authorization',
    text: `
      update authorizations set claimed_by = $4, given_out_to = $5
      where chain_id = $1 and authorizer = $2 and nonce = $3 and status = 'used'
        and coalesce(claimed_by, $4) = $4 and coalesce(given_out_to, $5) = $5`,
    values: [chainId, from, nonce, claimant, request],
  })
  return rowCount === 1 ? 'claimed' : 'refused'
}
