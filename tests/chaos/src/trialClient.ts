import { slowness } from '../../support/patience.ts'
import { until } from '../../support/until.ts'

type Request = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly apiKey?: string | undefined
  readonly idempotencyKey?: string
  readonly body?: object
  /** The first server to call; the others follow if it does not respond. */
  readonly server?: number
  /** The first try is aborted at once. */
  readonly isImpatient?: boolean
  /** Seconds for which the server may hold the request, added to its timeout. */
  readonly waitSeconds?: number
  /** Stops retrying. */
  readonly signal?: AbortSignal
}

type ClientResponse = { readonly status: number; readonly text: string }

/** Calls the servers in turn until a server returns a result or a refusal. */
export type Client = {
  request(request: Request): Promise<ClientResponse>
  /** The body of a 200. @throws Error for any other response */
  // biome-ignore lint/suspicious/noExplicitAny: responses are read as they come
  read(request: Request): Promise<any>
  /** Every response that was a refusal or a failure. */
  readonly errors: readonly string[]
}

const attemptMs = Math.round(5_000 * slowness)
/** Long enough for a request to arrive, and usually too short for its response. */
const impatientMs = Math.round(8 * slowness)

export function createClient(urls: readonly string[]): Client {
  const errors: string[] = []

  function request(request: Request): Promise<ClientResponse> {
    const { method, path, apiKey, idempotencyKey, body, signal } = request
    const headers = {
      ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
      ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    }
    let tries = 0
    return until(async () => {
      const url = urls[((request.server ?? 0) + tries) % urls.length] ?? ''
      const patientMs = attemptMs + (request.waitSeconds ?? 0) * 1_000
      const limit = AbortSignal.timeout(
        request.isImpatient && tries === 0 ? impatientMs : patientMs,
      )
      tries += 1
      const response = await fetch(url + path, {
        ...{ method, headers, signal: signal ? AbortSignal.any([signal, limit]) : limit },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const result = { status: response.status, text: await response.text() }
      if (!response.ok) errors.push(`${method} ${path}: ${result.status} ${result.text}`)
      const isPassing = response.status >= 500 || response.headers.has('retry-after')
      if (isPassing) throw new Error(`${method} ${path} returned ${result.text}`)
      return result
    }, signal)
  }

  return {
    ...{ request, errors },
    async read(call) {
      const { status, text } = await request(call)
      if (status !== 200) throw new Error(`${call.method} ${call.path}: ${status} ${text}`)
      return JSON.parse(text)
    },
  }
}

/** Every item of a list, page by page. */
export async function readAll<Item extends { readonly id: string }>(
  client: Client,
  apiKey: string,
  path: string,
): Promise<Item[]> {
  const items: Item[] = []
  for (;;) {
    const last = items.at(-1)
    const page = `${path.includes('?') ? '&' : '?'}limit=100`
    const cursor = last ? `&starting_after=${last.id}` : ''
    const { data, has_more }: { data: Item[]; has_more: boolean } = await client.read({
      ...{ method: 'GET', path: path + page + cursor, apiKey },
    })
    items.push(...data)
    if (!has_more) return items
  }
}
