import { limits, timelineSchema } from '@payment-intents/contract'
import { expect, test } from 'vitest'
import { until } from '../../../../../tests/support/until.ts'
import { ofFile } from '../../../test/support/database/fixtures.ts'
import { storeTransfer } from '../../../test/support/database/storeTransfer.ts'
import { expectError, openShop } from '../../../test/support/server/merchantApi.ts'
import {
  createIntent,
  type Json,
  startTestServer,
} from '../../../test/support/server/testServer.ts'

const server = ofFile(
  () => startTestServer({ webhooks: 'delivering' }),
  (started) => started.close(),
)

const timeline = (id: string) => `/v1/payment_intents/${id}/timeline`

test('a timeline has the delivery of each event, with its outcome', async () => {
  const { api, live, apiKey } = await openShop(server)
  const url = 'http://127.0.0.1:9/'
  const endpoint = await (await api.post('/v1/webhook_endpoints', { url })).json()
  const { id } = await createIntent(server, apiKey)
  await until(async () => {
    const response: Json = await api.read(timeline(id))
    expect(timelineSchema.safeParse(response).error).toBeUndefined()
    const [created, event, delivery] = response.data
    expect([created.type, event.type]).toEqual(['created', 'event'])
    expect(delivery).toMatchObject({
      ...{ type: 'delivery', event: event.event, webhook_endpoint: endpoint.id },
      ...{ status: 'pending', attempts: 1, error: expect.any(String) },
    })
  })
  await expectError(await live.get(timeline(id)), 404, 'not_found')
})

test('thousands of dust transfers hide no payment', async () => {
  const { api, apiKey, merchantId } = await openShop(server)
  const intent = await createIntent(server, apiKey)
  const dust = limits.timeline.transfers * 2
  const credited = { merchantId, intentId: intent.id }
  for (let sent = 0; sent < dust; sent += 1) {
    await storeTransfer(server.db, { ...credited, amount: 1 })
  }
  await storeTransfer(server.db, { ...credited, amount: intent.amount_units })
  const { data, truncated } = await api.read(timeline(intent.id))
  const amounts = data.flatMap(({ amount_units = [] }: Json) => amount_units)
  expect([amounts.length, amounts.at(-1), truncated]).toEqual([
    limits.timeline.transfers,
    intent.amount_units,
    true,
  ])
})
