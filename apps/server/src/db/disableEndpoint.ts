import { type Db, transaction } from './connect.ts'
import { andFanOut } from './fanOut.ts'
import { newId } from './ids.ts'
import { presentEndpoint } from './presentEndpoint.ts'
import { endpointColumns, type StoredEndpoint } from './webhookEndpoints.ts'

/** How long nothing may get through. */
export const patience = "interval '5 days'"

export type Disabling = {
  readonly endpointId: string
  /** Where it was posted to. */
  readonly url: string
  readonly reason: 'gone' | 'failing'
  /** Of the event, in Unix milliseconds. */
  readonly now: number
}

/**
 * Disables an endpoint that says that it is gone, or where nothing has got through for five days, ends what is under
 * way there, and writes an event. One that is not that far, has another URL by now, or is disabled already, stays as it is.
 */
export function disableEndpoint(db: Db, disabling: Disabling): Promise<void> {
  const { endpointId, url, reason, now } = disabling
  return transaction(db, async (client) => {
    const { rows } = await client.query<StoredEndpoint & { merchantId: string }>({
      name: 'disable-endpoint',
      text: `
        with disabled as (
          update webhook_endpoints set disabled_reason = $2
          where id = $1 and url = $3 and disabled_reason is null
            and ($2 = 'gone' or failing_since <= now() - ${patience})
          returning *
        )
        select ${endpointColumns}, merchant_id as "merchantId",
          pg_notify('webhook_endpoint_gone', id)
        from disabled`,
      values: [endpointId, reason, url],
    })
    const [endpoint] = rows
    if (!endpoint) return
    await client.query({
      name: 'insert-endpoint-event',
      text: andFanOut(`
        insert into events (id, merchant_id, mode, type, endpoint_id, sequence, created_at, object)
        select $1, $2, $3, 'webhook_endpoint.disabled', $4, coalesce(max(sequence), 0) + 1, $5, $6
        from events where endpoint_id = $4`),
      values: [
        newId('evt', now),
        endpoint.merchantId,
        endpoint.mode,
        endpointId,
        new Date(now),
        JSON.stringify(presentEndpoint(endpoint)),
      ],
    })
  })
}
