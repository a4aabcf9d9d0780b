import type { Observed } from './record.ts'

const endpoints = '/v1/webhook_endpoints'
const url = 'https://shop.example/webhooks'
/** An event that no scenario here has, so that nothing is sent while it runs. */
const enabled_events = ['payment_intent.reversed']

/** Webhook endpoints and their deliveries. */
export const webhookScenarios: Record<string, (service: Observed) => Promise<void>> = {
  async 'webhook endpoints made, changed and deleted'({ ask }) {
    const { id } = await ask('POST', endpoints, { body: { url, enabled_events } })
    await ask('POST', endpoints, { body: { url, description: 'The second' } })
    for (const body of [{}, { url: 'ftp://shop.example' }, { url, enabled_events: ['x'] }]) {
      await ask('POST', endpoints, { body })
    }
    await ask('POST', endpoints, { body: { url: 'https://me:secret@shop.example' } })
    await ask('GET', endpoints)
    await ask('GET', `${endpoints}?limit=1`)
    await ask('GET', `${endpoints}/${id}`)
    await ask('PATCH', `${endpoints}/${id}`, {
      body: { description: 'Orders', enabled_events: null },
    })
    await ask('PATCH', `${endpoints}/${id}`, { body: { status: 'disabled' } })
    await ask('PATCH', `${endpoints}/${id}`, { body: { status: 'gone' } })
    await ask('POST', `${endpoints}/${id}/recover`, { body: { since: '2020-01-01T00:00:00Z' } })
    const since = new Date(Date.now() - 60_000).toISOString()
    await ask('POST', `${endpoints}/${id}/recover`, { body: { since } })
    await ask('PATCH', `${endpoints}/${id}`, { body: { status: 'enabled' } })
    await ask('POST', `${endpoints}/${id}/recover`, { body: { since } })
    await ask('POST', `${endpoints}/${id}/rotate_secret`)
    await ask('POST', `${endpoints}/${id}/rotate_secret`, { body: { overlap_hours: 169 } })
    await ask('DELETE', `${endpoints}/${id}`)
    await ask('DELETE', `${endpoints}/${id}`)
    for (const path of ['', '/rotate_secret', '/deliveries']) {
      await ask(path === '/rotate_secret' ? 'POST' : 'GET', `${endpoints}/${id}${path}`)
    }
    await ask('POST', `${endpoints}/${id}/recover`, { body: { since } })
    await ask('PATCH', `${endpoints}/${id}`, { body: {} })
    await ask('GET', `${endpoints}/`)
  },

  async 'at most sixteen webhook endpoints'({ ask }) {
    for (let count = 0; count < 17; count += 1) {
      await ask('POST', endpoints, { body: { url, enabled_events } })
    }
  },

  async 'a test event, for one webhook endpoint alone'({ ask }) {
    const create = (types: string[]) =>
      ask('POST', endpoints, { body: { url, enabled_events: types } })
    const { id } = await create(enabled_events)
    const { id: other } = await create([...enabled_events, 'webhook_endpoint.test'])
    await ask('GET', `${endpoints}/${id}/attempts`)
    await ask('POST', `${endpoints}/${other}/test`, { body: { url } })
    await ask('PATCH', `${endpoints}/${other}`, { body: { status: 'disabled' } })
    await ask('POST', `${endpoints}/${other}/test`)
    await ask('PATCH', `${endpoints}/${other}`, { body: { status: 'enabled' } })
    await ask('POST', `${endpoints}/we_none/test`)
    const since = new Date(Date.now() - 60_000).toISOString()
    const event = await ask('POST', `${endpoints}/${id}/test`)
    await ask('GET', `/v1/events/${event.id}`)
    await ask('POST', `/v1/events/${event.id}/redeliver`, { body: { webhook_endpoint: other } })
    await ask('POST', `/v1/events/${event.id}/redeliver`)
    await ask('POST', `${endpoints}/${other}/recover`, { body: { since } })
    const cursor = `att_${'0'.repeat(30)}`
    await ask('GET', `${endpoints}/${other}/attempts?event=${event.id}&limit=1`)
    await ask('GET', `${endpoints}/${other}/attempts?starting_after=${cursor}`)
    await ask('GET', `${endpoints}/${other}/attempts?starting_after=${event.id}&event=!`)
    await ask('GET', `${endpoints}/we_none/attempts`)
    await ask('POST', `${endpoints}/${id}/test`)
  },

  async 'an event retrieved, and redelivered'({ ask, create }) {
    await create()
    const { data } = await ask('GET', '/v1/events')
    const [event] = data
    await ask('GET', `/v1/events/${event.id}`)
    await ask('POST', `/v1/events/${event.id}/redeliver`)
    await ask('POST', '/v1/events/evt_unknown/redeliver')
    const { id } = await ask('POST', endpoints, { body: { url, enabled_events } })
    await ask('GET', `${endpoints}/${id}/deliveries`)
    await ask('GET', `${endpoints}/${id}/deliveries?limit=2&starting_after=${event.id}`)
    await ask('GET', `${endpoints}/${id}/deliveries?limit=0`)
    await ask('POST', `/v1/events/${event.id}/redeliver`, { body: { webhook_endpoint: id } })
    await ask('POST', `/v1/events/${event.id}/redeliver`)
    await ask('POST', `/v1/events/${event.id}/redeliver`, { body: { webhook_endpoint: 'we_none' } })
    await ask('PATCH', `${endpoints}/${id}`, { body: { status: 'disabled' } })
    await ask('POST', `/v1/events/${event.id}/redeliver`, { body: { webhook_endpoint: id } })
    await ask('POST', `/v1/events/${event.id}/redeliver`)
  },
}
