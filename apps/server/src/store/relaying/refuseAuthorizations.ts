import type { Queryable } from '../connection/connect.ts'
import { asText } from '../lists/values.ts'
import { updatePlacesOf } from '../payment-links/places.ts'

/** An authorization that will not be broadcast again. */
export type Refused = {
  readonly id: string
  readonly reason: string
  /** The block as of which its nonce was used or revoked; undefined: it was never broadcast. */
  readonly usedAtBlock?: bigint
}

/**
 * Ends authorizations whose subjects the transaction has locked. A payer's authorization that was never
 * broadcast ends at once. An authorization with a used nonce ends when every block up to `usedAtBlock` was read twice
 * and no transaction in them is deferred: by then its payment was found, even if a node first returned no transfers of
 * a new block.
 */
export async function refuseAuthorizations(
  db: Queryable,
  refused: readonly Refused[],
): Promise<void> {
  if (refused.length === 0) return
  const { rows } = await db.query<{ id: string }>({
    name: 'refuse-authorizations',
    text: `
      with refused as (
        update authorizations a set status = 'refused', reason = r.reason, ended_at = now()
        from json_to_recordset($1) as r (id text, reason text, "usedAtBlock" bigint)
        where a.id = r.id and a.status = 'in_flight' and case
          when r."usedAtBlock" is not null then exists (
            select from chain_cursors c where c.chain_id = a.chain_id
              and least(c.scanned_to, c.reread_to[1]) >= r."usedAtBlock"
          ) and not exists (
            select from deferred_transactions s
            where s.chain_id = a.chain_id and s.block_number <= r."usedAtBlock"
          )
          else a.tx_hash is null and a.refund_id is null
            and not exists (select from relayer_transactions t where t.authorization_id = a.id)
        end
        returning a.intent_id
      )
      update payment_intents set version = version + 1
      where id in (select intent_id from refused) returning id`,
    values: [JSON.stringify(refused, asText)],
  })
  if (rows.length > 0) {
    await updatePlacesOf(
      db,
      rows.map(({ id }) => id),
    )
  }
}
