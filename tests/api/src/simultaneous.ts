import type { PaymentIntent } from '@payment-intents/contract'
import type { Json } from '@payment-intents/server/test/support/server/testServer.ts'
import { expect } from 'vitest'
import { intents } from './accounts.ts'
import type { Side } from './sides.ts'

type Outcome = { readonly status: number; readonly body: Json }

function clientOf({ apiKey, request }: Side) {
  async function send(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Outcome> {
    const authorization = `Bearer ${apiKey}`
    const init = { method, headers: { authorization, ...headers } }
    const json = { 'content-type': 'application/json', ...init.headers }
    const response = await request(
      path,
      body ? { ...init, headers: json, body: JSON.stringify(body) } : init,
    )
    return { status: response.status, body: await response.json() }
  }
  const create = async (body: object = {}): Promise<PaymentIntent> =>
    (await send('POST', intents, { amount_units: 5_000_000, ...body })).body
  const listed = async (path: string): Promise<Json[]> => (await send('GET', path)).body.data
  return { send, create, listed }
}

const statusesOf = (outcomes: readonly Outcome[]) => outcomes.map(({ status }) => status).sort()

/** Requests that arrive at the same time, where the interface says what may come of them. */
export const simultaneous: Record<string, (side: Side) => Promise<void>> = {
  async 'creations with one idempotency key make one intent'(side) {
    const { send, listed } = clientOf(side)
    const key = { 'idempotency-key': 'order 1042' }
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => send('POST', intents, { amount_units: 5_000_000 }, key)),
    )
    const created = outcomes.filter(({ status }) => status === 200)
    expect(new Set(created.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    // On a slow machine the first request may take longer than the others wait for it.
    for (const { status, body } of outcomes.filter((outcome) => !created.includes(outcome))) {
      expect({ status, ...body }).toMatchObject({
        status: 409,
        reason: 'idempotency_key_in_flight',
      })
    }
    expect(await listed(intents)).toHaveLength(1)
  },

  async 'of two bodies with one idempotency key, one makes an intent'(side) {
    const { send, listed } = clientOf(side)
    const key = { 'idempotency-key': 'order 1042' }
    const outcomes = await Promise.all(
      [5_000_000, 6_000_000].map((amount_units) => send('POST', intents, { amount_units }, key)),
    )
    expect(statusesOf(outcomes)).toEqual([200, 409])
    const refused = outcomes.find(({ status }) => status === 409)
    expect(refused?.body).toMatchObject({ error: 'conflict', reason: 'idempotency_key_reused' })
    expect(await listed(intents)).toHaveLength(1)
  },

  async 'creations of one price get different amounts'(side) {
    const { create } = clientOf(side)
    const created = await Promise.all(Array.from({ length: 20 }, () => create()))
    const amounts = created.map(({ payable_amount_units }) => payable_amount_units)
    expect(new Set(amounts).size).toBe(20)
  },

  async 'cancellations cancel once'(side) {
    const { send, create, listed } = clientOf(side)
    const { id } = await create()
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, () => send('POST', `${intents}/${id}/cancel`)),
    )
    expect(statusesOf(outcomes)).toEqual([200, 200, 200, 200])
    const events = await listed(`/v1/events?payment_intent=${id}`)
    expect(events.map(({ type }) => type)).toEqual([
      'payment_intent.created',
      'payment_intent.canceled',
    ])
  },

  async 'one transfer is assigned to one intent'(side) {
    const { send, create, listed } = clientOf(side)
    const candidates = await Promise.all(Array.from({ length: 4 }, () => create()))
    await side.transfer(1_234_567)
    const [transfer] = await listed('/v1/transfers?matched=false')
    const outcomes = await Promise.all(
      candidates.map(({ id }) =>
        send('POST', `/v1/transfers/${transfer.id}/assign`, { payment_intent: id }),
      ),
    )
    // Either moves it on, or is refused as another request was first.
    expect(statusesOf(outcomes)[0]).toBe(200)
    expect([200, 409]).toEqual(expect.arrayContaining(statusesOf(outcomes)))
    const credited = await Promise.all(
      candidates.map(async ({ id }) => (await send('GET', `${intents}/${id}`)).body),
    )
    const received = credited.map(({ amount_received_units }) => amount_received_units)
    expect(received.sort((a, b) => a - b)).toEqual([0, 0, 0, 1_234_567])
  },
}
