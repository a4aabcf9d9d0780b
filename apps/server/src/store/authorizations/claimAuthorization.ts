import type { AuthorizationNonce } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'

/**
 * Claims the goods for which an authorization has paid. They are handed out once, to a single request of the first
 * claimant.
 * @param claim `request` names the request, which may be repeated
 * @returns `refused`: the goods belong to another claimant, or another request has got them
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
