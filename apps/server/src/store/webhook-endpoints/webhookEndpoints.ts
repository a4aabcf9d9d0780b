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
    // Another request that adds an endpoint waits, and then counts this endpoint.
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

/** A merchant's endpoints in a mode, oldest first. */
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
 * Changes the passed fields. Disabling ends deliveries in progress there; enabling resets the failures, so that it has
 * its five days again.
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

/** Increments the secret's version; the previous secret also signs for the passed hours. */
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

/** How long every attempt may fail. */
export const patience = `interval '${failingDays} days'`

/** An endpoint that a delivery showed to be gone, or where every attempt fails. */
export type FailedEndpoint = {
  readonly endpointId: string
  /** The URL that it was posted to. */
  readonly url: string
  readonly reason: 'gone' | 'failing'
}

/**
 * Disables an endpoint that reports that it is gone, or that has received nothing for five days, and makes every
 * process end its deliveries there.
 * @returns null if the endpoint does not qualify, has another URL by now, or is already disabled: it stays unchanged
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

/** From now on no delivery is claimed for it, and every process ends its deliveries there. */
export async function silenceEndpoint(db: Queryable, id: string): Promise<void> {
  await db.query(
    `with disabled as (
       update webhook_endpoints set disabled_reason = coalesce(disabled_reason, 'merchant')
       where id = $1 returning id
     ) select pg_notify('webhook_endpoint_disabled', id) from disabled`,
    [id],
  )
}

/** Locks in the order of `settleDeliveries`: deliveries in their order, then their endpoint. */
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
