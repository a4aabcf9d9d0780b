import { one, type Queryable } from '../connect.ts'
import type { StoredAuthorization } from './authorizations.ts'

/** How long the request that handed it in holds it: longer than that waits for it to be mined. */
const heldSeconds = 30

/**
 * Claims what an authorization has paid for, which is given out once: to the request that handed it in, and to another one
 * only when that has been gone for a while.
 *
 * @param claim names the request that gives it out, also when it is sent again
 * @returns `held`: by another request, which may still be waiting; `given_out`: to another request
 */
export async function claimAuthorization(
  db: Queryable,
  { chainId, from, nonce }: Pick<StoredAuthorization, 'chainId' | 'from' | 'nonce'>,
  claim: string,
): Promise<'claimed' | 'held' | 'given_out'> {
  const { outcome } = one(
    await db.query<{ outcome: 'claimed' | 'held' | 'given_out' }>({
      name: 'claim-authorization',
      text: `
        with claimed as (
          update authorizations set claimed_by = $4, claimed_at = 'infinity'
          where chain_id = $1 and authorizer = $2 and nonce = $3 and status = 'used'
            and (coalesce(claimed_by, $4) = $4
              or claimed_at < now() - interval '${heldSeconds} seconds')
          returning 1
        )
        select case when exists (select from claimed) then 'claimed'
            when claimed_at = 'infinity' then 'given_out' else 'held' end as outcome
        from authorizations where chain_id = $1 and authorizer = $2 and nonce = $3`,
      values: [chainId, from, nonce, claim],
    }),
  )
  return outcome
}
