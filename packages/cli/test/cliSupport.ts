import { setMaxListeners } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { createClient } from '@payment-intents/node'
import { expect, onTestFinished } from 'vitest'
import { patientCalls } from '../../../tests/support/patience.ts'
import { until as eventually } from '../../../tests/support/until.ts'
import { apiKey, json, listenInTest, type Reply, serve, text } from '../../node/test/stubServer.ts'
import { event as succeeded } from '../../node/test/testWebhook.ts'
import { listen, type Pace } from '../src/listen/listen.ts'
import type { News } from '../src/listen/news.ts'
import { localSecret } from '../src/localSecret.ts'

export const secret = localSecret(apiKey)
const quick: Pace = { poll: 10, patience: 20, timeout: 60_000, retries: [10, 10, 10] }

type SupportOptions = {
  baseUrl: string
  to?: string
  types?: string[]
  since?: string | undefined
  pace?: Partial<Pace>
}

/** Listens until the test ends, with short waits by default. */
export function start({ baseUrl, to, types, since, pace }: SupportOptions) {
  const news: News[] = []
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal)
  const listener = listen({
    ...{
      client: createClient({ apiKey, baseUrl, ...patientCalls }),
      baseUrl,
      apiKey,
      types,
      since,
    },
    forwarding: to === undefined ? undefined : { to: new URL(to), secret, environment: 'unset' },
    pace: { ...quick, ...pace },
    show: (item) => news.push(item),
    signal: stopping.signal,
  })
  const stop = () => {
    stopping.abort()
    return listener.done
  }
  onTestFinished(() => stop().catch(() => {}))
  const kinds = () => news.map(({ kind }) => kind)
  const until = (kind: News['kind'], count = 1) =>
    eventually(() => {
      expect(kinds().filter((each) => each === kind).length).toBeGreaterThanOrEqual(count)
    })
  const deliveries = () => news.filter((item) => item.kind === 'delivery')
  const shown = () => news.flatMap((item) => (item.kind === 'event' ? [item.event.id] : []))
  return { listener, news, stop, kinds, until, deliveries, shown }
}

/** A payment link as the service presents it. */
export const link = {
  ...{ id: 'plink_1', url: 'https://pay.example.com/l/plink_1', active: true, mode: 'testnet' },
  ...{ amount_units: 40_000_000, min_units: null, max_units: null, decimals: 6 },
  ...{ token_symbol: 'USDC', description: 'Term 2', chains: ['base'], max_payments: null },
  outranked_chains: [],
  ...{ payments_count: 0, expires_at: null, return_url: null, picture: null, metadata: {} },
  created_at: '2030-01-01T00:00:00.000Z',
}

/** The id of the event with this number. */
export function eventId(number: number): string {
  return `evt_${String(number).padStart(30, '0')}`
}

export function testEvent(number: number, more: object = {}) {
  return { ...succeeded, id: eventId(number), ...more }
}

/**
 * A service that only lists events: those of `events`, with ids numbered from 1, in pages of two.
 *
 * @param newest the number of the first event of the newest payment intent; by default there is no intent
 */
export async function serveEvents(events: unknown[] = [], newest?: number) {
  const pageSize = 2
  let reply: Reply | undefined
  const list: Reply = (response) => {
    const { pathname, searchParams } = new URL(response.req.url ?? '', 'http://localhost')
    if (pathname === '/v1/payment_intents') {
      return respondWithPage(response, newest === undefined ? [] : [succeeded.data.object], 1)
    }
    if (searchParams.has('payment_intent'))
      return respondWithPage(response, [testEvent(newest ?? 0)], 1)
    const cursor = searchParams.get('starting_after')
    const rest = events.slice(cursor === null ? 0 : Number(cursor.slice('evt_'.length)))
    respondWithPage(response, rest.slice(0, pageSize), rest.length)
  }
  const server = await serve((response) => (reply ?? list)(response))
  return {
    ...server,
    events,
    /** Replies to every request with this until `restore`. */
    setReply(other: Reply) {
      reply = other
    },
    restore() {
      reply = undefined
    },
  }
}

function respondWithPage(response: ServerResponse, data: readonly unknown[], total: number): void {
  const page = { data, has_more: total > data.length }
  json(200, page, { connection: 'close' })(response)
}

export const received = text(200, '')

/** An address on which nothing listens until `open` is called. */
export async function reservePort() {
  const { url, port, close } = await listenInTest(createServer())
  await close()
  return {
    url,
    async open(reply: Reply) {
      const requests: string[] = []
      const late = createServer((request, response) => {
        requests.push(String(request.headers['webhook-id']))
        request.resume()
        reply(response)
      })
      await listenInTest(late, port)
      return requests
    },
  }
}
