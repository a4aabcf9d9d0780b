import { presentEndpoint } from '@payment-intents/core'
import { type Db, transaction } from '../store/connection/connect.ts'
import { insertEndpointEvent } from '../store/events/events.ts'
import {
  disableEndpoint,
  type FailedEndpoint,
} from '../store/webhook-endpoints/webhookEndpoints.ts'

/**
 * Disables an endpoint that is gone or failed for too long, and writes an event.
 * @param now the time of the event, in Unix milliseconds
 */
export function disableFailedEndpoint(
  db: Db,
  failedEndpoint: FailedEndpoint,
  now: number,
): Promise<'disabled' | 'unchanged'> {
  return transaction(db, async (client) => {
    const endpoint = await disableEndpoint(client, failedEndpoint)
    if (!endpoint) return 'unchanged'
    const { id, merchantId, mode } = endpoint
    const object = JSON.stringify(presentEndpoint(endpoint))
    const type = 'webhook_endpoint.disabled'
    await insertEndpointEvent(client, { endpointId: id, merchantId, mode, type, object }, now)
    return 'disabled'
  })
}
