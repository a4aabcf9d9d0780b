import { presentEvent, type StoredEvent } from '@payment-intents/core'
import type { Db } from '@payment-intents/server/src/store/connection/connect.ts'
import { eventColumns } from '@payment-intents/server/src/store/events/eventColumns.ts'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { expect } from 'vitest'
import type { SaleOutcome } from './drawRounds.ts'
import type { Sale } from './openShop.ts'
import type { Arrival } from './receivers.ts'

type Secret = {
  readonly secret: string
  /** When its owner requested it, and since when the receiver knew it, in Unix milliseconds. */
  readonly rotations: number
  readonly since: number
  /** A response was lost, and perhaps a new secret with it. */
  readonly isRepeated: boolean
}

export type Registered = {
  readonly id: string
  readonly secrets: Secret[]
  /** `deleted`: when the response arrived. `disabled`: when it was, by the database's clock. */
  ended: { type: 'deleted' | 'disabled'; at: number } | null
}

type Run = {
  db: Db
  sales: readonly Sale[]
  registered: ReadonlyMap<string, Registered>
  arrivals: readonly Arrival[]
}

const created = '1 payment_intent.created'
const paid = [created, '2 payment_intent.pending_confirmations', '3 payment_intent.succeeded']
const histories: Record<SaleOutcome, readonly string[]> = {
  paid,
  paid_by_hand: paid,
  canceled: [created, '2 payment_intent.canceled'],
  left: [created],
}

export type Tally = { events: number; arrivals: number; taken: number; repeated: number }

/** Compares what arrived with the events in the database, and those with what was acknowledged. */
export async function checkArrivals({ db, sales, registered, arrivals }: Run): Promise<Tally> {
  const { rows: stored } = await db.pool.query<StoredEvent & { intentId: string | null }>(
    `select ${eventColumns}, e.intent_id as "intentId" from events e order by e.intent_id, e.sequence`,
  )
  const events = new Map(stored.map((event) => [event.id, event]))
  for (const { intentId, saleOutcome } of sales) {
    const ofIntent = stored.filter((event) => event.intentId === intentId)
    expect(ofIntent.map(({ sequence, type }) => `${sequence} ${type}`)).toEqual(
      histories[saleOutcome],
    )
  }

  const taken = new Map([...registered.keys()].map((name) => [name, new Set<string>()]))
  let repeated = 0
  for (const arrival of arrivals) {
    const endpoint = registered.get(arrival.endpoint)
    const event = events.get(arrival.headers['webhook-id'] ?? '')
    if (!endpoint || !event) {
      throw new Error(`at ${arrival.endpoint} arrived what is no event: ${arrival.body}`)
    }
    expect(arrival.body).toBe(presentEvent(event))
    verify(endpoint, event, arrival)
    if (!arrival.taken) continue
    const had = taken.get(arrival.endpoint)
    if (had?.has(event.id)) repeated += 1
    had?.add(event.id)
  }

  for (const [name, { id, ended }] of registered) {
    if (!ended) {
      const expected = stored.filter(
        ({ type }) => name !== 'canceled' || type === 'payment_intent.canceled',
      )
      expect([...(taken.get(name) ?? [])].sort(), name).toEqual(
        expected.map((event) => event.id).sort(),
      )
    } else if (ended.type === 'deleted') {
      const after = arrivals.filter(({ endpoint, at }) => endpoint === name && at > ended.at)
      expect(after, name).toEqual([])
    } else {
      const { rows } = await db.pool.query(
        `select event_id from webhook_deliveries where endpoint_id = $1 and last_attempt_at > to_timestamp($2 / 1000.0)`,
        [id, ended.at],
      )
      expect(rows, name).toEqual([])
    }
  }
  const sum = [...taken.values()].reduce((all, { size }) => all + size, 0)
  return { events: events.size, arrivals: arrivals.length, taken: sum, repeated }
}

/**
 * Signed with the newest secret that its receiver knew when it arrived, or, after a while on its way, with the secret
 * before.
 */
function verify({ secrets }: Registered, event: StoredEvent, { headers, body, at }: Arrival): void {
  const current = secrets.findLastIndex(({ since }) => since <= at)
  const usual = secrets.slice(Math.max(current - 1, 0), current + 1)
  const lost = secrets
    .slice(current + 1)
    .filter(({ isRepeated, rotations: requestedAt }) => isRepeated && requestedAt <= at)
  const verified = [...usual, ...lost].some(({ secret }) => {
    try {
      new Webhook(secret).verify(body, headers)
      new SvixWebhook(secret).verify(body, headers)
      return true
    } catch {
      return false
    }
  })
  expect(verified, `the signature of ${event.id}`).toBe(true)
}
