import type { Observed } from './record.ts'

const endpoints = '/v1/webhook_endpoints'
const url = 'https://shop.example/webhooks'
/** An event that no scenario here has, so that nothing is sent while it runs. */
const enabled_events = ['payment_intent.reversed']

/** Webhook endpoints and their deliveries. */
export const webhookScenarios: Record<string, (service: Observed) => Promise<void>> = {
  async 'webhook endpoints made, changed and deleted'({ call }) {
    const { id } = await call('POST', endpoints, { body: { url, enabled_events } })
    await call('POST', endpoints, { body: { url, description: 'The second' } })
    for (const body of [{}, { url: 'ftp://shop.example' }, { url, enabled_events: ['x'] }]) {
      await call('POST', endpoints, { body })
    }
    await call('POST', endpoints, { body: { url: 'https://me:secret@shop.example' } })
    await call('GET', endpoints)
    await call('GET', `${endpoints}?limit=1`)
    await call('GET', `${endpoints}/${id}`)
    await call('PATCH', `${endpoints}/${id}`, {
      body: { description: 'Orders', enabled_events: null },
    })
    await call('PATCH', `${endpoints}/${id}`, { body: { status: 'disabled' } })
    await call('PATCH', `${endpoints}/${id}`, { body: { status: 'gone' } })
    await call('POST', `${endpoints}/${id}/recover`, { body: { since: '2020-01-01T00:00:00Z' } })
    const since = new Date(Date.now() - 60_000).toISOString()
    await call('POST', `${endpoints}/${id}/recover`, { body: { since } })
    await call('PATCH', `${endpoints}/${id}`, { body: { status: 'enabled' } })
    await call('POST', `${endpoints}/${id}/recover`, { body: { since } })
    await call('POST', `${endpoints}/${id}/rotate_secret`)
    await call('POST', `${endpoints}/${id}/rotate_secret`, { body: { overlap_hours: 169 } })
    await call('DELETE', `${endpoints}/${id}`)
    await call('DELETE', `${endpoints}/${id}`)
    for (const path of ['', '/rotate_secret', '/deliveries']) {
      await call(path === '/rotate_secret' ? 'POST' : 'GET', `${endpoints}/${id}${path}`)
    }
    await call('POST', `${endpoints}/${id}/recover`, { body: { since } })
    await call('PATCH', `${endpoints}/${id}`, { body: {} })
    await call('GET', `${endpoints}/`)
  },

  async 'at most sixteen webhook endpoints'({ call }) {
    for (let count = 0; count < 17; count += 1) {
      await call('POST', endpoints, { body: { url, enabled_events } })
    }
  },

  async 'a test event, for one webhook endpoint alone'({ call }) {
    const create = (types: string[]) =>
      call('POST', endpoints, { body: { url, enabled_events: types } })
    const { id } = await create(enabled_events)
    const { id: other } = await create([...enabled_events, 'webhook_endpoint.test'])
    await call('GET', `${endpoints}/${id}/attempts`)
    await call('POST', `${endpoints}/${other}/test`, { body: { url } })
    await call('PATCH', `${endpoints}/${other}`, { body: { status: 'disabled' } })
    await call('POST', `${endpoints}/${other}/test`)
    await call('PATCH', `${endpoints}/${other}`, { body: { status: 'enabled' } })
    await call('POST', `${endpoints}/we_none/test`)
    const since = new Date(Date.now() - 60_000).toISOString()
    const event = await call('POST', `${endpoints}/${id}/test`)
    await call('GET', `/v1/events/${event.id}`)
    await call('POST', `/v1/events/${event.id}/redeliver`, { body: { webhook_endpoint: other } })
    await call('POST', `/v1/events/${event.id}/redeliver`)
    await call('POST', `${endpoints}/${other}/recover`, { body: { since } })
    const cursor = `att_${'0'.repeat(30)}`
    await call('GET', `${endpoints}/${other}/attempts?event=${event.id}&limit=1`)
    await call('GET', `${endpoints}/${other}/attempts?starting_after=${cursor}`)
    await call('GET', `${endpoints}/${other}/attempts?starting_after=${event.id}&event=!`)
    await call('GET', `${endpoints}/we_none/attempts`)
    await call('POST', `${endpoints}/${id}/test`)
  },

  async 'an event retrieved, and redelivered'({ call, create }) {
    await create()
    const { data } = await call('GET', '/v1/events')
    const [event] = data
    await call('GET', `/v1/events/${event.id}`)
    await call('POST', `/v1/events/${event.id}/redeliver`)
    await call('POST', '/v1/events/evt_unknown/redeliver')
    const { id } = await call('POST', endpoints, { body: { url, enabled_events } })
    await call('GET', `${endpoints}/${id}/deliveries`)
    await call('GET', `${endpoints}/${id}/deliveries?limit=2&starting_after=${event.id}`)
    await call('GET', `${endpoints}/${id}/deliveries?limit=0`)
    await call('POST', `/v1/events/${event.id}/redeliver`, { body: { webhook_endpoint: id } })
    await call('POST', `/v1/events/${event.id}/redeliver`)
    await call('POST', `/v1/events/${event.id}/redeliver`, {
      body: { webhook_endpoint: 'we_none' },
    })
    await call('PATCH', `${endpoints}/${id}`, { body: { status: 'disabled' } })
    await call('POST', `/v1/events/${event.id}/redeliver`, { body: { webhook_endpoint: id } })
    await call('POST', `/v1/events/${event.id}/redeliver`)
  },
}
