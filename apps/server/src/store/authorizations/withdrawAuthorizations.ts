import { type Db, type Queryable, transaction } from '../connection/connect.ts'
import { updatePlacesOf } from '../payment-links/places.ts'

/** If an authorization is not broadcast in this time, its payer can pay in another way. */
const broadcastWithinSeconds = 15
/** The maximum that a transaction withdraws. */
const limit = 500

/**
 * Withdraws authorizations that were not broadcast in time, so that their payers' other payment methods reopen.
 *
 * Any process may do so, with or without a relayer. No relayer sends a withdrawn authorization: it records a
 * transaction before it sends it, under the same lock of the intent as here, and only while the authorization is
 * `in_flight`.
 * @returns the number of withdrawn authorizations, by chain id
 */
export async function withdrawAuthorizations(db: Db): Promise<ReadonlyMap<number, number>> {
  const { rowCount } = await db.pool.query({
    name: 'find-due-authorizations',
    text: `select from authorizations a where ${isDue} limit 1`,
  })
  const chainIds = rowCount ? await transaction(db, withdraw) : []
  const counts = new Map<number, number>()
  for (const chainId of chainIds) counts.set(chainId, (counts.get(chainId) ?? 0) + 1)
  return counts
}

const isDue = `
  a.status = 'in_flight' and a.tx_hash is null and a.nonce_used_at is null and a.intent_id is not null
  and a.created_at < now() - interval '${broadcastWithinSeconds} seconds'`

async function withdraw(client: Queryable): Promise<number[]> {
  const { rows: intents } = await client.query<{ id: string }>({
    name: 'lock-due-intents',
    // A locked intent is left to the next run, so that it delays no other.
    text: `
      select p.id from payment_intents p
      where p.id in (
        select a.intent_id from authorizations a where ${isDue} order by a.created_at limit ${limit}
      )
      order by p.id for update skip locked`,
  })
  const { rows } = await client.query<{ chainId: number }>({
    name: 'withdraw-authorizations',
    text: `
      with withdrawn as (
        update authorizations a
        set status = 'refused', reason = 'gasless_unavailable', ended_at = now()
        where a.intent_id = any ($1) and ${isDue}
          and not exists (select from relayer_transactions t where t.authorization_id = a.id)
        returning a.intent_id, a.chain_id
      ), changed as (
        update payment_intents set version = version + 1
        where id in (select intent_id from withdrawn)
      )
      select chain_id as "chainId" from withdrawn`,
    values: [intents.map(({ id }) => id)],
  })
  if (rows.length > 0) {
    await updatePlacesOf(
      client,
      intents.map(({ id }) => id),
    )
  }
  return rows.map(({ chainId }) => chainId)
}
