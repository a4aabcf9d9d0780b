import { decodeX402, type PaymentIntent, x402Headers } from '@payment-intents/contract'
import type { Json } from '@payment-intents/server/test/support/server/testServer.ts'
import { expect } from 'vitest'
import type { Side } from './sides.ts'

type CallParams = { body?: unknown; headers?: Record<string, string> }

/** Records the requests to a service and its responses, except the requests of `request`. */
export type Observed = Side & {
  /** Sends the API key, unless `params` has other headers. */
  call(method: string, path: string, params?: CallParams): Promise<Json>
  /** A creation that succeeds. */
  create(body?: Record<string, unknown>): Promise<PaymentIntent>
  /** The intent as retrieved by the merchant and resolved by the checkout. */
  look(intent: PaymentIntent): Promise<void>
  /** Waits for the next millisecond, so that the next identifier is later and lists have a single order. */
  later(): Promise<void>
}

const comparedHeaders = [
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'access-control-max-age',
  'allow',
  'cache-control',
  'content-disposition',
  'content-type',
  'idempotent-replayed',
  'payment-intent-status',
  'retry-after',
  'x-content-type-options',
  'x-should-retry',
]

const x402Names = [x402Headers.required, x402Headers.response]

/** A request as it was sent, and how it ended. */
export type Recorded = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly status: number
  /** The code of the error; null: none. */
  readonly error: string | null
}

/**
 * Runs a scenario, then lists everything, and what needs attention if anything does.
 *
 * @returns every response in order, as text with names in place of what is made up anew each time
 */
export async function record(
  side: Side,
  scenario: (service: Observed) => Promise<void>,
): Promise<{ text: string; recorded: readonly Recorded[] }> {
  const lines: string[] = []
  const recorded: Recorded[] = []

  async function call(method: string, path: string, params: CallParams = {}): Promise<Json> {
    const place = lines.push('') - 1
    const headers = params.headers ?? { authorization: `Bearer ${side.apiKey}` }
    const isText = typeof params.body === 'string'
    const content =
      params.body === undefined || isText ? {} : { 'content-type': 'application/json' }
    const body = isText ? (params.body as string) : JSON.stringify(params.body)
    const init = { method, headers: { ...content, ...headers } }
    const response = await side.request(path, body === undefined ? init : { ...init, body })
    const text = await response.text()
    const isCsv = response.headers.get('content-type')?.startsWith('text/csv')
    const json = isCsv ? recordsOf(text) : text === '' ? null : JSON.parse(text)
    if (json?.request_id) expect(json.request_id).toBe(response.headers.get('x-request-id'))
    const { status } = response
    const url = new URL(path, 'http://service')
    // A 402 of x402 has reasons of that protocol.
    const error = status >= 400 && status !== 402 ? (json?.error ?? null) : null
    recorded.push({ method, path: url.pathname, query: url.searchParams, status, error })
    const named = (names: readonly string[], read: (value: string) => unknown) =>
      Object.fromEntries(
        names.flatMap((name) => {
          const value = response.headers.get(name)
          return value === null ? [] : [[name, read(value)]]
        }),
      )
    lines[place] = [
      `${method} ${path.slice(0, 200)}`,
      `${status} ${JSON.stringify({ ...named(comparedHeaders, String), ...named(x402Names, decodeX402) })}`,
      JSON.stringify(sorted(json)),
    ].join('\n')
    return json
  }

  async function later(): Promise<void> {
    const now = Date.now()
    while (Date.now() <= now) await new Promise(setImmediate)
  }

  const observed: Observed = {
    ...side,
    call,
    async create(body = {}) {
      const intent = await call('POST', '/v1/payment_intents', {
        body: { amount_units: 25_000_000, ...body },
      })
      const minutes = Date.parse(intent.expires_at) - Date.parse(intent.created_at)
      lines.push(`(of ${Math.round(minutes / 60_000)} minutes)`)
      await later()
      return intent
    },
    later,
    async look({ id, client_secret }) {
      await call('GET', `/v1/payment_intents/${id}`)
      await call('POST', '/v1/payment_intents/resolve', { body: { client_secret }, headers: {} })
    },
  }
  await scenario(observed)
  for (const list of ['payment_intents', 'events', 'transfers', 'refunds']) {
    const { has_more } = await call('GET', `/v1/${list}?limit=100`)
    expect(has_more, 'everything is listed').toBe(false)
  }
  const headers = { authorization: `Bearer ${side.apiKey}` }
  const { data } = await (await side.request('/v1/attention', { headers })).json()
  if (data.length > 0) await call('GET', '/v1/attention?limit=100')
  return { text: `${normalised(lines.join('\n\n'))}\n`, recorded }
}

/** The lines of a CSV file, which have no breaks within; without the numbers of blocks, which are a chain's own. */
function recordsOf(text: string): string[] {
  const [heading = '', ...rows] = text.split('\r\n')
  const block = heading.split(',').indexOf('block_number')
  const shown = rows.map((row) =>
    row
      .split(',')
      .map((field, index) => (index === block && row !== '' ? 'number' : field))
      .join(','),
  )
  return [heading, ...shown]
}

/** How each thing that is made up anew looks, and the name that its first, second, … are given. */
const madeUp: [pattern: RegExp, name: string][] = [
  // In links: the address of the service.
  [/https?:\/\/[\w.:]+(?=\/(checkout\/#|x402\/|refund\/|l\/|v1\/(pictures|logos)\/))/g, 'service'],
  [/_secret_[0-9A-Za-z]{43}/g, '_secret'],
  [/_x402_[0-9A-Za-z]{43}/g, '_x402'],
  [/_link_[0-9A-Za-z]{43}/g, '_link'],
  // In a message to sign in with (EIP-4361).
  [/[\w.:]+(?= wants you to sign in)/g, 'host'],
  [/(?<=Nonce: )[0-9a-f]{32}/g, 'nonce'],
  [/https?:\/\/[\w.:]+\/checkout\/h\/[\w-]{32}(?![\w-])/g, 'handoff'],
  // The address recovered from a message that was not signed.
  [/(?<=The signature is from )0x[0-9a-f]{40}/g, 'signer'],
  // The time in an item's cursor.
  [/\d{13}(?=_(?:tr|pi|re|we)_)/g, '_since'],
  [/mer_(test\b|[0-9a-hjkmnp-tv-z]{30})/g, 'merchant'],
  [/pi_[0-9a-hjkmnp-tv-z]{30}/g, 'intent'],
  [/evt_[0-9a-hjkmnp-tv-z]{30}/g, 'event'],
  [/we_[0-9a-hjkmnp-tv-z]{30}/g, 'endpoint'],
  [/whsec_[\w+/]{43}=/g, '_webhook_secret'],
  [/re_[0-9a-hjkmnp-tv-z]{30}/g, 'refund'],
  [/plink_[0-9a-hjkmnp-tv-z]{30}/g, 'payment link'],
  [/ro_[0-9a-hjkmnp-tv-z]{30}/g, 'return origin'],
  [/tr_[0-9a-hjkmnp-tv-z]{30}/g, 'transfer'],
  [/0x[0-9a-f]{64}/g, 'hash'],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uuid'],
]

function normalised(recorded: string): string {
  const replacements = new Map<string, string>()
  let text = recorded
  for (const [pattern, name] of madeUp) {
    let count = 0
    text = text.replaceAll(pattern, (match) => {
      if (!replacements.has(match)) {
        count += 1
        replacements.set(match, name.startsWith('_') ? name : `${name} ${count}`)
      }
      return replacements.get(match) ?? ''
    })
  }
  return text.replaceAll(/\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d\.\d{3}|\d{6})Z/g, 'a time')
}

/** Properties by name, so that first appearances have a fixed order; a chain's own numbers left out. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(
    entries.map(([name, each]) => {
      if (name === 'block_number') return [name, typeof each]
      // The clocks of server and kit differ.
      if (name === 'median_seconds_to_paid') return [name, typeof each]
      // A time, as the token takes it.
      if (name === 'validBefore') return [name, typeof each]
      // Configured per service: how a wallet adds the chain.
      if (name === 'network') return [name, Object.keys(each as object).sort()]
      return [name, sorted(each)]
    }),
  )
}
