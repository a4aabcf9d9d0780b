import { limits, windows } from '@payment-intents/contract'
import { canReserve, type Intent, payableCandidates, withReserved } from '@payment-intents/core'
import { type Db, isSqlState, type Queryable, transaction } from '../connection/connect.ts'
import { lockIntents } from './paymentIntents.ts'
import { findFree } from './reservations.ts'

/** Each try may fail, since another transaction may reserve the same amount meanwhile. */
const tries = 3

/**
 * Reserves an amount for an intent of a link, so that it can be paid by hand. Does nothing if the link has too many.
 */
export async function reserveAmount(
  db: Db,
  id: string,
  clock: (chainId: number) => { readonly earliest: number },
): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await transaction(db, (client) => reserve(client, id, clock))
    } catch (error) {
      if (tried === tries || !isSqlState(error, '23505')) throw error
    }
  }
}

async function reserve(
  client: Queryable,
  id: string,
  clock: (chainId: number) => { readonly earliest: number },
): Promise<void> {
  const [intent] = await lockIntents(client, [id])
  if (!intent || !canReserve(intent) || !(await mayReserve(client, intent))) return
  const amount = await findAmount(client, intent)
  if (amount === null) return
  const { payable, version } = withReserved(intent, amount)
  const { chainId, wallet, expiresAt } = intent
  await client.query({
    name: 'reserve-amount',
    text: `
      with reserved as (
        insert into payable_reservations
          (chain_id, wallet, payable_amount_units, intent_id, since_block, since, until)
        select $2::integer, $3, $4, $1, c.scanned_to + 1,
          case when c.scanned_to is null then to_timestamp($5::float8 / 1000) - interval '2 seconds' end,
          to_timestamp($6::float8)
        from (values ($2::integer)) input (chain_id) left join chain_cursors c
          on c.chain_id = input.chain_id and c.scanned_at > now() - interval '10 seconds'
      ), visited as (
        update link_visits set reserved_until = to_timestamp($6::float8) where intent_id = $1
      )
      update payment_intents set payable_amount_units = $4, reference_only = false, version = $7
      where id = $1`,
    values: [
      id,
      chainId,
      wallet,
      payable,
      clock(chainId).earliest,
      expiresAt + windows.late,
      version,
    ],
  })
}

/** Whether an amount may be reserved for the intent of a visit. Serializes these decisions for a link. */
async function mayReserve(client: Queryable, { id, paymentLink }: Intent): Promise<boolean> {
  await client.query({
    name: 'lock-link-reservations',
    text: `select pg_advisory_xact_lock(hashtextextended('reservations ' || $1, 0))`,
    values: [paymentLink],
  })
  const { rowCount } = await client.query({
    name: 'may-reserve-for-visit',
    text: `
      select from link_visits where intent_id = $1 and (
        select count(*) from (
          select from link_visits where link_id = $2 and reserved_until > now()
          limit ${limits.linkReservations}
        ) reserved
      ) < ${limits.linkReservations}`,
    values: [id, paymentLink],
  })
  return rowCount === 1
}

async function findAmount(client: Queryable, intent: Intent): Promise<bigint | null> {
  for (const candidates of payableCandidates(intent.amount, Math.random)) {
    const [free] = await findFree(client, intent, candidates)
    if (free !== undefined) return free
  }
  return null
}
