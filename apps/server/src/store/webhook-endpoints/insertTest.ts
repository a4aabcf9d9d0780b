import type { Actor, StoredEndpoint, StoredEvent } from '@payment-intents/core'
import { type Db, onlyRow, transaction } from '../connection/connect.ts'
import { endpointColumns } from './webhookEndpoints.ts'

const type = 'webhook_endpoint.test'

/** Writes an event of type `webhook_endpoint.test`, and queues it for its endpoint alone. */
export function insertTest(
  db: Db,
  { merchantId, mode }: Actor,
  endpointId: string,
  { id, createdAt }: Pick<StoredEvent, 'id' | 'createdAt'>,
  present: (endpoint: StoredEndpoint) => string,
): Promise<StoredEvent | 'disabled' | null> {
  return transaction(db, async (client) => {
    // Events about an endpoint wait for each other, since each gets the number after the previous.
    const { rows } = await client.query<StoredEndpoint>(
      `select ${endpointColumns} from webhook_endpoints
       where id = $1 and merchant_id = $2 and mode = $3 for no key update`,
      [endpointId, merchantId, mode],
    )
    const [endpoint] = rows
    if (!endpoint) return null
    if (endpoint.disabledReason !== null) return 'disabled'
    const object = present(endpoint)
    const { sequence } = onlyRow(
      await client.query<{ sequence: number }>({
        name: 'insert-test-event',
        text: `
          with event as (
            insert into events (id, merchant_id, mode, type, endpoint_id, sequence, created_at, object)
            select $1, $2, $3, '${type}', $4, coalesce(max(sequence), 0) + 1, $5, $6
            from events where endpoint_id = $4
            returning id, sequence
          ), sent as (
            insert into webhook_deliveries (endpoint_id, event_id, due_at)
            select $4, id, now() from event
          )
          select sequence, pg_notify('webhook_due', '') from event`,
        values: [id, merchantId, mode, endpointId, createdAt, object],
      }),
    )
    return { id, type, createdAt, mode, sequence, object }
  })
}
