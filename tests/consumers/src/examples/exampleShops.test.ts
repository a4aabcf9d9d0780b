import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../../support/until.ts'
import { startExample } from '../support/exampleShop.ts'
import { payIntent } from '../support/serviceRequests.ts'

test('the shop of examples/fastify-cjs takes an order, and the webhook marks it as paid', async () => {
  const shop = await startExample('fastify-cjs')
  onTestFinished(() => shop.remove())
  const callApi = async (path: string, body?: object) => {
    const headers = { 'content-type': 'application/json' }
    const post = body && { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(`${shop.url}/api/orders${path}`, post)).json()
  }
  const { id } = await callApi('', { item: 'mug' })
  const { client_secret } = await callApi(`/${id}/payment`, {})
  expect(await callApi(`/${id}`)).toMatchObject({ item: 'mug', price: '12.00', paid: false })
  await payIntent(client_secret.split('_secret_', 1)[0])
  await until(async () => expect(await callApi(`/${id}`)).toMatchObject({ paid: true }))
})
