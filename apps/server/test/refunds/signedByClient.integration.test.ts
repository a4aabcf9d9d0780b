import { createClient, type ListedRefund } from '@payment-intents/node'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { patientCalls } from '../../../../tests/support/patience.ts'
import { refundingOfTest } from '../support/server/refunding.ts'

const refunding = refundingOfTest()
const { reader, paid, refund, eventsOfRefund } = refunding

function merchantClient() {
  const { apiKey } = reader.merchant
  return createClient({ apiKey, baseUrl: reader.server.url, ...patientCalls })
}

async function claim(page: string, destination: string): Promise<void> {
  const response = await reader.server.request('/v1/refunds/destination', {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: JSON.stringify({ token: page.split('#')[1], destination }),
  })
  expect(response.status).toBe(200)
}

/** The refund in the newest event. */
async function newestEvent(): Promise<ListedRefund> {
  const events = await merchantClient().events.list({ type: 'refund.updated' })
  const event = events.data.at(-1)
  if (event?.type !== 'refund.updated') return expect.fail('no event')
  return event.data.object
}

test('one call signs a refund from its event, once its payer has named the destination', async () => {
  const { refunds } = merchantClient()
  const signer = privateKeyToAccount(refunding.shop.privateKey)
  const created = await refund(await paid(), { destination: undefined })
  await claim(created.links.page, refunding.other.address)
  const claimed = await newestEvent()
  // The client signs nothing that the merchant has not confirmed.
  expect(await refunds.sign(claimed, { signer })).toMatchObject({ status: 'requires_confirmation' })
  await refunds.confirm(created.id, { destination: refunding.other.address })
  const confirmed = await newestEvent()
  expect(confirmed).toMatchObject({ id: created.id, status: 'requires_signature' })
  for (let time = 0; time < 2; time += 1) {
    expect(await refunds.sign(confirmed, { signer })).toMatchObject({
      ...{ status: 'pending', from: refunding.shop.address, from_verified: true },
    })
  }
  const { rows } = await reader.db.pool.query(
    'select id from authorizations where refund_id = $1',
    [created.id],
  )
  expect(rows).toHaveLength(1)
  expect(await eventsOfRefund(created)).toEqual(['created', 'updated', 'updated', 'pending'])
})

test('an unregistered wallet’s signature does not count', async () => {
  const { refunds } = merchantClient()
  const created = await refund(await paid())
  const signer = privateKeyToAccount(refunding.other.privateKey)
  const terms = {
    id: created.id,
    amount_units: created.amount_units,
    destination: created.destination,
  }
  await expect(refunds.sign(terms, { signer })).rejects.toMatchObject({ code: 'wallet_invalid' })
})
