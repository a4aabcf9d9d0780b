import type { ConflictingAuthorizations, RefundAuthorization } from '@payment-intents/core'
import { onlyRow, type Queryable } from '../connection/connect.ts'
import { isCutOff } from '../relaying/reverts.ts'

/** The records that may conflict with the signature of a refund. Read them under the locks of refund and account. */
export type RefundConflicts = Pick<ConflictingAuthorizations, 'promised' | 'isCutOff'>

export async function findRefundConflicts(
  db: Queryable,
  { chainId, from, nonce, codeHash }: RefundAuthorization,
): Promise<RefundConflicts> {
  return onlyRow(
    await db.query<RefundConflicts>({
      name: 'find-refund-conflicts',
      text: `
        select ${isCutOff('$1', '$2', '$4::text')} as "isCutOff", (
          select coalesce(sum(amount_units), 0) from authorizations
          where chain_id = $1 and authorizer = $2 and status = 'in_flight' and nonce <> $3
        ) as promised`,
      values: [chainId, from, nonce, codeHash],
    }),
  )
}

/**
 * Stores the signature of a refund as `in_flight`, and wakes the relayer. If the same account signs again, the
 * signature that is valid for longer stays.
 */
export async function storeRefundAuthorization(
  db: Queryable,
  authorization: RefundAuthorization,
): Promise<void> {
  const { id, refundId, chainId, token, from, to, value, validBefore, nonce, signature } =
    authorization
  await db.query({
    name: 'store-refund-authorization',
    text: `
      with stored as (
        insert into authorizations as a (id, refund_id, chain_id, token_address, authorizer,
          recipient, amount_units, valid_after, valid_before, nonce, signature, source, status)
        values ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9, $10, 'refund', 'in_flight')
        on conflict (chain_id, authorizer, nonce) do update set
          recipient = excluded.recipient, valid_before = excluded.valid_before,
          signature = excluded.signature, status = 'in_flight', reason = null, ended_at = null,
          created_at = excluded.created_at
        where a.status <> 'in_flight' or a.valid_before < excluded.valid_before
        returning 1
      )
      select pg_notify('authorization_stored', $3::text) from stored`,
    values: [id, refundId, chainId, token, from, to, String(value), validBefore, nonce, signature],
  })
}
