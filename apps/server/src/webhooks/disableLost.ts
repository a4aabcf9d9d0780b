import { presentEndpoint } from '@payment-intents/core'
import { type Db, transaction } from '../store/connection/connect.ts'
import { insertEndpointEvent } from '../store/events/events.ts'
import { disableEndpoint, type Lost } from '../store/webhook-endpoints/endpoints.ts'

/** Disables an endpoint that is lost, and writes an event. @param now of the event, Unix milliseconds */
export function disableLost(db: Db, lost: Lost, now: number): Promise<'disabled' | 'not_lost'> {
  return transaction(db, async (client) => {
    const endpoint = await disableEndpoint(client, lost)
    if (!endpoint) return 'not_lost'
    const { id, merchantId, mode } = endpoint
    const object = JSON.stringify(presentEndpoint(endpoint))
    const type = 'webhook_endpoint.disabled'
    await insertEndpointEvent(client, { endpointId: id, merchantId, mode, type, object }, now)
    return 'disabled'
  })
}
