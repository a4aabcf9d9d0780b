import type { Queryable } from '../connect.ts'
import type { StoredAuthorization } from './authorizations.ts'

/**
 * Claims what an authorization has paid for, which is given out once.
 *
 * @param claim names the request that gives it out, also when it is sent again
 * @returns false when another request has claimed it
 */
export async function claimAuthorization(
  db: Queryable,
  { chainId, from, nonce }: Pick<StoredAuthorization, 'chainId' | 'from' | 'nonce'>,
  claim: string,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'claim-authorization',
    text: `update authorizations set claimed_by = $4
      where chain_id = $1 and authorizer = $2 and nonce = $3 and status = 'used'
        and coalesce(claimed_by, $4) = $4`,
    values: [chainId, from, nonce, claim],
  })
  return rowCount === 1
}
