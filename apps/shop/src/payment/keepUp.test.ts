import { createClient, type Event } from '@payment-intents/node'
import { webhookEvent } from '@payment-intents/testing/webhooks'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../../../../tests/support/newFolder.ts'
import { until } from '../../../../tests/support/until.ts'
import { type ResponseOf, startStandInApi } from '../../test/standInApi.ts'
import { openShopDatabase } from '../db/openShopDatabase.ts'
import { keepUp } from './keepUp.ts'

/** A shop that keeps up until the test ends; `list` replaces the API. */
async function start(
  list: (startingAfter: string | null) => ResponseOf | Promise<ResponseOf>,
  patience: number,
) {
  const db = openShopDatabase(newFolder())
  const api = await startStandInApi(({ path = '' }) =>
    list(new URL(path, 'http://api').searchParams.get('starting_after')),
  )
  const client = createClient({ apiKey: 'sk_test_1', baseUrl: api.url, maxRetries: 0 })
  const stopping = new AbortController()
  const handled: Event[] = []
  const lines: string[] = []
  const done = keepUp(
    { client, db, onEvent: (event) => handled.push(event), log: (line) => lines.push(line) },
    { patience, signal: stopping.signal },
  )
  onTestFinished(async () => {
    stopping.abort()
    await done
    await api.close()
    db.close()
  })
  return { applied: handled, lines, stop: () => stopping.abort(), done }
}

function page(data: readonly Event[]): ResponseOf {
  return { status: 200, body: { data, has_more: false } }
}

function writtenAt(time: number): Event {
  return { ...webhookEvent('payment_intent.succeeded'), created_at: new Date(time).toISOString() }
}

test('an event that no webhook delivers is fetched once, after the patience', async () => {
  const patience = 300
  const written: Event[] = []
  const requested: (string | null)[] = []
  const { applied: handled } = await start((startingAfter) => {
    requested.push(startingAfter)
    const from = written.findIndex(({ id }) => id === startingAfter) + 1
    return page(written.slice(from))
  }, patience)
  await until(() => expect(requested).not.toEqual([]))
  // Without waiting for the next poll.
  const event = writtenAt(Date.now() + patience / 2)
  written.push(event)
  await until(() => expect(handled).toEqual([event]))
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(event.created_at) + patience)
  await until(() => expect(requested.slice(-2)).toEqual([event.id, event.id]))
  expect(handled).toEqual([event])
})

test('all earlier events are fetched at once, also from a service whose clock is ahead', async () => {
  const events = [writtenAt(Date.now() + 3_600_000), writtenAt(Date.now() + 7_200_000)]
  const { applied: handled } = await start(() => page(events), 60_000)
  await until(() => expect(handled).toEqual(events))
})

test('a failure of the API is logged, and the call repeated', async () => {
  const event = writtenAt(Date.now() - 60_000)
  const responses: ResponseOf[] = [
    { status: 500, body: { error: 'internal_error', message: 'Oh.' } },
  ]
  const { applied: handled, lines } = await start(() => responses.shift() ?? page([event]), 10)
  await until(() => expect(handled).toContainEqual(event))
  expect(lines).toEqual([expect.stringMatching(/^Events could not be caught up with: 500 /)])
})

test('the loop ends at once, even while it waits for a response', async () => {
  const requested = Promise.withResolvers<void>()
  const { lines, stop, done } = await start(() => {
    requested.resolve()
    return new Promise(() => {})
  }, 60_000)
  await requested.promise
  stop()
  await done
  expect(lines).toEqual([])
})
