import { afterEach, expect, test, vi } from 'vitest'
import type { Sighting } from '../db/orders.ts'
import { type Answered, type Asked, startStandInApi } from '../testing/standInApi.ts'
import { followPayment } from './followPayment.ts'

const stops: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

const waiting = seen('requires_payment', 1)
const paid = seen('succeeded', 3)

function seen(status: string, version: number): Answered {
  return { status: 200, body: { status, version, tx_hash: null, client_secret_is: 'not here' } }
}

async function follow(options: {
  answers?: readonly Answered[]
  answer?: (asked: Asked) => Answered | Promise<Answered>
  version?: number
  signal?: AbortSignal
}) {
  const asked: Asked[] = []
  const sightings: Sighting[] = []
  const left = [...(options.answers ?? [])]
  const api = await startStandInApi((question) => {
    asked.push(question)
    return options.answer?.(question) ?? left.shift() ?? 'reset'
  })
  stops.push(api.close)
  const outcome = followPayment({
    baseUrl: api.url,
    clientSecret: 'pi_1_secret_1',
    version: options.version ?? 0,
    signal: options.signal ?? new AbortController().signal,
    onSighting: (sighting) => sightings.push(sighting),
  })
  return { outcome, asked, sightings }
}

test('tells of each change in order, asking with the version it has seen, until the payment is settled', async () => {
  const answers = [waiting, waiting, seen('pending_confirmations', 2), paid]
  const { outcome, asked, sightings } = await follow({ answers })
  expect(await outcome).toBe('settled')
  expect(sightings).toEqual([
    { status: 'requires_payment', version: 1, tx_hash: null },
    { status: 'pending_confirmations', version: 2, tx_hash: null },
    { status: 'succeeded', version: 3, tx_hash: null },
  ])
  expect(asked.map(({ body }) => body)).toEqual(
    [0, 1, 1, 2].map((after_version) => ({
      client_secret: 'pi_1_secret_1',
      after_version,
      wait_seconds: 25,
    })),
  )
})

test.each(['expired', 'canceled'])('ends when the payment is %s', async (status) => {
  const { outcome, sightings } = await follow({ answers: [seen(status, 2)] })
  expect(await outcome).toBe('settled')
  expect(sightings).toHaveLength(1)
})

test('goes on after a restart from the version that was stored', async () => {
  const { outcome, asked } = await follow({ answers: [paid], version: 2 })
  await outcome
  expect(asked[0]?.body.after_version).toBe(2)
})

test.each<[string, Answered]>([
  ['500', { status: 500, body: { error: 'internal_error' } }],
  ['a cut connection', 'reset'],
  ['200 with something else', { status: 200, body: { hello: 'world' } }],
  ['200 with null', { status: 200, body: null }],
  ['404 of another kind', { status: 404, body: { error: 'not_found' } }],
])('waits out %s', async (_, fault) => {
  const { outcome, sightings } = await follow({ answers: [fault, paid] })
  expect(await outcome).toBe('settled')
  expect(sightings).toHaveLength(1)
})

test('leaves a server that asks for it alone as long as it asks', async () => {
  const answers: Answered[] = [
    { status: 429, body: { error: 'rate_limited' }, headers: { 'retry-after': '1' } },
    paid,
  ]
  const before = performance.now()
  const { outcome } = await follow({ answers })
  await outcome
  expect(performance.now() - before).toBeGreaterThan(990)
})

test('gives up on an intent that the API does not know', async () => {
  const answers: Answered[] = [{ status: 404, body: { error: 'intent_not_found' } }]
  const { outcome, asked } = await follow({ answers })
  expect(await outcome).toBe('unknown_intent')
  expect(asked).toHaveLength(1)
})

test('stops at once when it is told to, in the middle of a held answer', async () => {
  const stopping = new AbortController()
  const { outcome, asked } = await follow({
    answer: () => new Promise<Answered>(() => {}),
    signal: stopping.signal,
  })
  await vi.waitFor(() => expect(asked).toHaveLength(1), 15_000)
  const before = performance.now()
  stopping.abort()
  expect(await outcome).toBe('stopped')
  expect(performance.now() - before).toBeLessThan(5_000)
})
