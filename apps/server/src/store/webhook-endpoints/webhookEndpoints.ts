import {
  type Actor,
  type EndpointChange,
  type EndpointTerms,
  failingDays,
  type StoredEndpoint,
} from '@payment-intents/core'
import { type Db, type Queryable, transaction } from '../connection/connect.ts'

export const endpointColumns = `id, mode, url, description, enabled_events as "enabledEvents",
  disabled_reason as "disabledReason", secret_version as "secretVersion", secret_key as "secretKey",
  failing_since as "failingSince", created_at as "createdAt"`

export function insertEndpoint(
  db: Db,
  actor: Actor,
  terms: EndpointTerms,
  limit: number,
): Promise<StoredEndpoint | 'too_many'> {
  return transaction(db, async (client) => {
    // Another request that adds an endpoint waits for this lock, and then counts this endpoint.
    await client.query('select 1 from merchants where id = $1 for no key update', [
      actor.merchantId,
    ])
    const existing = await listEndpoints(client, actor)
    return existing.length < limit ? insert(client, actor, terms) : 'too_many'
  })
}

async function insert(db: Queryable, actor: Actor, terms: EndpointTerms): Promise<StoredEndpoint> {
  const { rows } = await db.query<StoredEndpoint>(
    `insert into webhook_endpoints
       (id, merchant_id, mode, url, description, enabled_events, created_at, secret_key)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${endpointColumns}`,
    [
      terms.id,
      actor.merchantId,
      actor.mode,
      terms.url,
      terms.description,
      terms.enabledEvents,
      terms.createdAt,
      terms.secretKey,
    ],
  )
  return rows[0] as StoredEndpoint
}

/** Lists a merchant's endpoints in a mode, oldest first. */
export async function listEndpoints(db: Queryable, actor: Actor): Promise<StoredEndpoint[]> {
  const { rows } = await db.query<StoredEndpoint>(
    `select ${endpointColumns} from webhook_endpoints where merchant_id = $1 and mode = $2 order by id`,
    [actor.merchantId, actor.mode],
  )
  return rows
}

export async function findEndpoint(
  db: Queryable,
  actor: Actor,
  id: string,
): Promise<StoredEndpoint | null> {
  const { rows } = await db.query<StoredEndpoint>(
    `select ${endpointColumns} from webhook_endpoints where id = $1 and merchant_id = $2 and mode = $3`,
    [id, actor.merchantId, actor.mode],
  )
  return rows[0] ?? null
}

/**
 * Changes the passed fields. Disabling an endpoint ends its deliveries in progress. Enabling it resets its failures, so
 * that it has five days again.
 */
export async function updateEndpoint(
  db: Queryable,
  actor: Actor,
  id: string,
  change: EndpointChange,
): Promise<StoredEndpoint | null> {
  const { rows } = await db.query<StoredEndpoint>(
    `with changed as (
       update webhook_endpoints set
         url = coalesce($4, url),
         description = coalesce($5, description),
         enabled_events = case when $6 then $7 else enabled_events end,
         disabled_reason = case $8 when 'enabled' then null
           when 'disabled' then coalesce(disabled_reason, 'merchant') else disabled_reason end,
         failing_since = case $8 when 'enabled' then null else failing_since end
       where id = $1 and merchant_id = $2 and mode = $3 returning *
     )
     select ${endpointColumns}, case when disabled_reason is null then pg_notify('webhook_due', '')
       else pg_notify('webhook_endpoint_disabled', id) end
     from changed`,
    [
      id,
      actor.merchantId,
      actor.mode,
      change.url,
      change.description,
      change.enabledEvents !== 'unchanged',
      change.enabledEvents === 'unchanged' ? null : change.enabledEvents,
      change.status,
    ],
  )
  return rows[0] ?? null
}

/** Increments the secret's version. The previous secret also signs during the overlap. */
export async function rotateSecret(
  db: Queryable,
  actor: Actor,
  id: string,
  { overlapHours, secretKey }: { overlapHours: number; secretKey: string },
): Promise<StoredEndpoint | null> {
  const { rows } = await db.query<StoredEndpoint>(
    `update webhook_endpoints set
       secret_version = secret_version + 1,
       secret_key = $5,
       previous_secret_key = secret_key,
       previous_secret_until = now() + make_interval(hours => $4)
     where id = $1 and merchant_id = $2 and mode = $3 returning ${endpointColumns}`,
    [id, actor.merchantId, actor.mode, overlapHours, secretKey],
  )
  return rows[0] ?? null
}

/** An endpoint at which every attempt failed for longer is disabled. */
export const patience = `interval '${failingDays} days'`

/** An endpoint that is gone, as a delivery showed, or at which every attempt has failed for too long. */
export type FailedEndpoint = {
  readonly endpointId: string
  /** The URL to which a delivery was posted. */
  readonly url: string
  readonly reason: 'gone' | 'failing'
}

/**
 * Disables an endpoint that is gone, or at which every attempt failed for five days. Every process then ends its
 * deliveries there.
 * @returns null: the endpoint is unchanged, since it works again, has another URL by now, or was already disabled
 */
export async function disableEndpoint(
  db: Queryable,
  { endpointId, url, reason }: FailedEndpoint,
): Promise<(StoredEndpoint & { readonly merchantId: string }) | null> {
  const { rows } = await db.query<StoredEndpoint & { merchantId: string }>({
    name: 'disable-endpoint',
    text: `
      with disabled as (
        update webhook_endpoints set disabled_reason = $2
        where id = $1 and url = $3 and disabled_reason is null
          and ($2 = 'gone' or failing_since <= now() - ${patience})
        returning *
      )
      select ${endpointColumns}, merchant_id as "merchantId",
        pg_notify('webhook_endpoint_disabled', id)
      from disabled`,
    values: [endpointId, reason, url],
  })
  return rows[0] ?? null
}

/** Disables an endpoint before its deletion: no process claims deliveries for it, and each ends those in progress. */
export async function silenceEndpoint(db: Queryable, id: string): Promise<void> {
  await db.query(
    `with disabled as (
       update webhook_endpoints set disabled_reason = coalesce(disabled_reason, 'merchant')
       where id = $1 returning id
     ) select pg_notify('webhook_endpoint_disabled', id) from disabled`,
    [id],
  )
}

/** Deletes an endpoint. Takes locks in the order of `settleDeliveries`: deliveries by event, then the endpoint. */
export function deleteEndpoint(db: Db, actor: Actor, id: string): Promise<void> {
  const values = [id, actor.merchantId, actor.mode]
  const ownedEndpoint =
    'select id from webhook_endpoints where id = $1 and merchant_id = $2 and mode = $3'
  return transaction(db, async (client) => {
    await client.query(
      `with locked as (
         select endpoint_id, event_id from webhook_deliveries where endpoint_id = (${ownedEndpoint})
         order by event_id for update
       ) delete from webhook_deliveries d using locked
         where d.endpoint_id = locked.endpoint_id and d.event_id = locked.event_id`,
      values,
    )
    await client.query(`delete from webhook_endpoints where id in (${ownedEndpoint})`, values)
  })
}
