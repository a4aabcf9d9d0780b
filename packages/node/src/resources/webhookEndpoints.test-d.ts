import type { Client } from '../index.ts'

const url = 'https://shop.example/webhooks'

export async function onlyCreationHasTheSecret({ webhookEndpoints }: Client): Promise<string[]> {
  const created = await webhookEndpoints.create({ url })
  const rotated = await webhookEndpoints.rotateSecret(created.id, { overlap_hours: 1 })
  const read = await webhookEndpoints.retrieve(created.id)
  // @ts-expect-error a retrieved endpoint has no secret
  const secret: string = read.secret
  return [created.secret, rotated.secret, secret]
}

export async function refuses({ events, webhookEndpoints }: Client): Promise<void> {
  // @ts-expect-error no such type of event
  await webhookEndpoints.create({ url, enabled_events: ['payment_intent.suceeded'] })
  // @ts-expect-error the service would ignore it
  await webhookEndpoints.create({ url }, { idempotencyKey: 'endpoint' })
  // @ts-expect-error a time as the API takes it, `toISOString()`
  await webhookEndpoints.recover('we_01', { since: new Date() })
  // @ts-expect-error `since` is required
  await webhookEndpoints.recover('we_01')
  // @ts-expect-error the id of an endpoint goes into an object
  await events.redeliver('evt_01', 'we_01')
}

export async function readsDeliveries({ webhookEndpoints }: Client): Promise<string | null> {
  for await (const { attempts, error } of webhookEndpoints.listDeliveries('we_01')) {
    const tries: number = attempts
    if (tries > 1) return error
  }
  return null
}
