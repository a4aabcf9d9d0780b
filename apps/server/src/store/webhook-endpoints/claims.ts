import { limits } from '@payment-intents/contract'
import { disablingStatus, type StoredAttempt, type StoredEvent } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'
import { eventColumns } from '../events/eventColumns.ts'
import { waitingEndpoints } from './waitingEndpoints.ts'
import { type FailedEndpoint, patience } from './webhookEndpoints.ts'

/** An event that only this process may post to an endpoint while its claim lasts. */
export type Claim = {
  readonly endpointId: string
  readonly eventId: string
  /** The number of attempts, including this. */
  readonly attempts: number
  readonly url: string
  readonly secretVersion: number
  /** The fingerprint of the key from which this version is derived. */
  readonly secretKey: string
  /** The fingerprint of the previous version's key, while its secret also signs; null: it does not. */
  readonly previousSecretKey: string | null
  readonly failing: boolean
  readonly event: StoredEvent
}

type Limits = {
  /** The maximum to claim at working endpoints. */
  total: number
  /** The maximum to claim at failing endpoints. */
  failing: number
  /** The maximum in progress at a working endpoint. */
  perEndpoint: number
  /** The maximum in progress at a failing endpoint. */
  perFailing: number
  /** The number that this process has in progress, by endpoint. */
  busy: ReadonlyMap<string, number>
  /** The time for which other processes skip these deliveries. */
  claimMs: number
}

/**
 * Claims due deliveries of each endpoint in turn. Each endpoint has its own share, so that neither a slow endpoint nor
 * a thousand that hang delay others.
 *
 * Locks the endpoints: disabling, deleting or rotating an endpoint waits for claims that read its earlier state, and no
 * later claim reads it.
 */
export async function claimDeliveries(db: Queryable, limits: Limits): Promise<Claim[]> {
  const { rows } = await db.query<ClaimRow>({
    name: 'claim-deliveries',
    text: `
      with recursive ${waitingEndpoints}, load as (
        select endpoint_id, coalesce(count, 0) as busy
        from waiting left join unnest($5::text[], $6::int[]) as busy (id, count) on id = endpoint_id
        where exists (
          select 1 from webhook_deliveries d
          where d.endpoint_id = waiting.endpoint_id and d.due_at <= now() and ${unclaimed}
        )
      ), lanes as materialized (
        select e.id, e.url, e.secret_version, e.secret_key, load.busy,
          case when e.previous_secret_until > now() then e.previous_secret_key end as previous_secret_key,
          coalesce(e.failing_since < now() - interval '1 minute', false) as failing
        from load join webhook_endpoints e on e.id = load.endpoint_id
        where e.disabled_reason is null and load.busy < $3::int
        order by e.id for share of e
      ), due as (
        select d.endpoint_id, d.event_id, lanes.failing, row_number() over (
          partition by lanes.failing order by lanes.busy + d.nth, d.due_at
        ) as place
        from lanes cross join lateral (
          select endpoint_id, event_id, due_at, row_number() over (order by due_at) as nth
          from (
            select endpoint_id, event_id, due_at from webhook_deliveries d
            where endpoint_id = lanes.id and due_at <= now() and ${unclaimed}
            order by due_at
            limit greatest(case when lanes.failing then $4::int else $3::int end - lanes.busy, 0)
            for update skip locked
          ) d
          -- Never reached. Without a constant, the planner would expect a tenth of the table, and read all of it.
          limit 64
        ) d
      ), claimed as (
        update webhook_deliveries d
        set attempts = d.attempts + 1, last_attempt_at = now(),
          claimed_until = now() + make_interval(secs => $7::double precision / 1000)
        from due
        where d.endpoint_id = due.endpoint_id and d.event_id = due.event_id
          and due.place <= case when due.failing then $2::int else $1::int end
        returning d.endpoint_id, d.event_id, d.attempts
      )
      select c.endpoint_id as "endpointId", c.event_id as "eventId", c.attempts, lanes.url,
        lanes.secret_version as "secretVersion", lanes.secret_key as "secretKey",
        lanes.previous_secret_key as "previousSecretKey", lanes.failing, ${eventColumns}
      from claimed c
      join lanes on lanes.id = c.endpoint_id
      join events e on e.id = c.event_id`,
    values: [
      limits.total,
      limits.failing,
      limits.perEndpoint,
      limits.perFailing,
      [...limits.busy.keys()],
      [...limits.busy.values()],
      limits.claimMs,
    ],
  })
  return rows.map(({ id, type, createdAt, mode, sequence, object, ...claim }) => ({
    ...claim,
    event: { id, type, createdAt, mode, sequence, object },
  }))
}

const unclaimed = '(d.claimed_until is null or d.claimed_until < now())'

type ClaimRow = Omit<Claim, 'event'> & StoredEvent

/** The outcome of an attempt. */
export type Settled = {
  readonly endpointId: string
  readonly eventId: string
  /** The URL to which it was posted. */
  readonly url: string
  readonly attempts: number
  readonly delivered: boolean
  /** Whether this process ended the attempt before a response, so that it does not count. */
  readonly released: boolean
  /** Milliseconds until the next attempt; null: none. */
  readonly waitMs: number | null
  readonly responseStatus: number | null
  readonly error: string | null
  /** The stored fields of the attempt that are not above. */
  readonly attempt: Pick<
    StoredAttempt,
    'id' | 'startedAt' | 'durationMs' | 'responseBody' | 'errorCode'
  >
}

/**
 * Writes the outcomes of attempts, a row for each attempt, and since when endpoints fail. An attempt whose claim
 * another process took over counts only if it succeeded. No outcome ends a redelivery that was requested during the
 * attempt.
 * @returns the endpoints to disable: those that are gone, and those where every delivery failed for too long
 */
export async function settleDeliveries(
  db: Queryable,
  settled: readonly Settled[],
): Promise<FailedEndpoint[]> {
  const { rows } = await db.query<FailedEndpoint>({
    name: 'settle-deliveries',
    text: `
      with outcome as (
        select * from unnest(
          $1::text[], $2::text[], $3::int[], $4::boolean[], $5::boolean[], $6::bigint[], $7::int[], $8::text[],
          $9::text[], $10::text[], $11::timestamptz[], $12::int[], $13::text[], $14::text[]
        ) as o (endpoint_id, event_id, attempts, delivered, released, wait_ms, response_status, error, url,
          attempt_id, started_at, duration_ms, response_body, error_code)
      ), ours as (
        -- The order is the same everywhere, so that processes cannot deadlock.
        select d.endpoint_id, d.event_id,
          -- A redelivery counts attempts from 0 again. If it was requested during the attempt, it stays due.
          d.attempts < o.attempts as is_requeued
        from webhook_deliveries d
        join outcome o on d.endpoint_id = o.endpoint_id and d.event_id = o.event_id
        where d.delivered_at is null and (d.attempts <= o.attempts or o.delivered)
        order by d.endpoint_id, d.event_id for update of d
      ), settled as (
        update webhook_deliveries d set
          claimed_until = null,
          attempts = d.attempts - (o.released and not ours.is_requeued)::int,
          due_at = case when ours.is_requeued then d.due_at when o.delivered then null
            else now() + make_interval(secs => o.wait_ms::double precision / 1000) end,
          response_status = o.response_status,
          error = o.error,
          delivered_at = case when o.delivered and not ours.is_requeued then now() end,
          attempts_recorded = d.attempts_recorded + (not o.released)::int
        from ours join outcome o on ours.endpoint_id = o.endpoint_id and ours.event_id = o.event_id
        where d.endpoint_id = ours.endpoint_id and d.event_id = ours.event_id
        returning d.endpoint_id, d.event_id, d.attempts_recorded, o.delivered, o.released,
          o.response_status, o.url, o.error, o.attempt_id, o.started_at, o.duration_ms,
          o.response_body, o.error_code
      ), recorded as (
        insert into webhook_attempts as a (endpoint_id, event_id, slot, id, started_at, duration_ms,
          response_status, response_body, error_code, error)
        select endpoint_id, event_id, attempts_recorded % ${limits.webhookAttempts}, attempt_id, started_at,
          duration_ms, response_status, response_body, error_code, error
        from settled where not released
        on conflict (endpoint_id, event_id, slot) do update set
          id = excluded.id, started_at = excluded.started_at, duration_ms = excluded.duration_ms,
          response_status = excluded.response_status, response_body = excluded.response_body,
          error_code = excluded.error_code, error = excluded.error
      ), health as (
        select endpoint_id, bool_or(delivered) as working,
          array_agg(url) filter (where response_status = ${disablingStatus}) as disabling_urls
        from settled where not released group by endpoint_id
      ), changing as (
        select e.id, h.working from webhook_endpoints e join health h on h.endpoint_id = e.id
        where h.working is distinct from (e.failing_since is null)
        order by e.id for update of e
      ), changed as (
        update webhook_endpoints e
        set failing_since = case when c.working then null else coalesce(e.failing_since, now()) end
        from changing c where e.id = c.id
      )
      select e.id as "endpointId", e.url,
        case when e.url = any (h.disabling_urls) then 'gone' else 'failing' end as reason
      from webhook_endpoints e join health h on h.endpoint_id = e.id
      where e.disabled_reason is null
        and (e.url = any (h.disabling_urls) or not h.working and e.failing_since <= now() - ${patience})`,
    values: [
      settled.map((delivery) => delivery.endpointId),
      settled.map((delivery) => delivery.eventId),
      settled.map((delivery) => delivery.attempts),
      settled.map((delivery) => delivery.delivered),
      settled.map((delivery) => delivery.released),
      settled.map((delivery) => delivery.waitMs),
      settled.map((delivery) => delivery.responseStatus),
      settled.map((delivery) => delivery.error),
      settled.map((delivery) => delivery.url),
      settled.map(({ attempt }) => attempt.id),
      settled.map(({ attempt }) => attempt.startedAt),
      settled.map(({ attempt }) => attempt.durationMs),
      settled.map(({ attempt }) => attempt.responseBody),
      settled.map(({ attempt }) => attempt.errorCode),
    ],
  })
  return rows
}
