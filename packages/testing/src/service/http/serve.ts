import { type Endpoint, endpoints, x402Headers } from '@payment-intents/contract'
import { bearerKey, HttpError, invalidApiKey } from '@payment-intents/rules'
import type { Fate } from '../failures.ts'
import type { Answer } from './answer.ts'
import { presentError } from './errors.ts'
import type { Call, Operation, Route } from './route.ts'

/** `lost`: the connection fails. */
export type Served = Answer | 'lost'

/** A route that matches the path of the request. */
type Matched = Route & { readonly endpoint: Endpoint; readonly id: string }

/** Answers one request as the service does, or with its planned failure. */
export async function serve(
  request: Request,
  service: {
    readonly apiKey: string
    /** The service's URL without a trailing slash. */
    readonly baseUrl: string
    readonly routes: readonly Route[]
    /** Answers a request to an intent's x402 link. */
    answerX402(token: string, headers: Headers): Promise<Answer>
    takeFailure(operation: Operation | 'x402'): Fate | null
  },
): Promise<Served> {
  const url = new URL(request.url)
  const path = url.pathname.slice(new URL(service.baseUrl).pathname.replace(/\/$/, '').length)
  const given = request.headers.get('x-request-id') ?? ''
  const requestId = /^[\w.:-]{1,128}$/.test(given) ? given : crypto.randomUUID()
  const at = (path: string) =>
    service.routes.flatMap(({ operation, answer }): Matched[] => {
      const endpoint: Endpoint = endpoints[operation]
      const match = patternOf(endpoint).exec(path)
      return match ? [{ operation, answer, endpoint, id: match[1] ?? '' }] : []
    })
  const here = at(path)
  const withoutSlash = path.endsWith('/') ? at(path.slice(0, -1)) : []
  const common = { 'x-request-id': requestId, 'x-content-type-options': 'nosniff' }
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const met = here.find(({ endpoint }) => endpoint.method === method)
  const [, x402Token] = /^\/x402\/([^/]+)$/.exec(path) ?? []
  const isX402 = x402Token !== undefined && ['GET', 'POST'].includes(method)
  if (x402Token !== undefined && method === 'OPTIONS') {
    return preflight({ ...common, ...readableByPages }, x402Preflight)
  }
  const asksFirst = method === 'OPTIONS' && here.some(({ endpoint }) => endpoint.auth === 'none')
  const concerned = met ? [met] : [...here, ...withoutSlash]
  const isForPages = concerned.some(({ endpoint }) => endpoint.auth === 'none')
  const forPages = isForPages ? { ...common, ...readableByPages } : common
  const always = isX402 ? { ...common, ...readableX402 } : forPages
  if (asksFirst) return preflight(always)

  async function answer(): Promise<Served> {
    if (!met && !isX402) throw noRoute(request.method, path, here, withoutSlash)
    const fate = service.takeFailure(met?.operation ?? 'x402')
    if (fate instanceof HttpError) throw fate
    if (fate === 'hang') return new Promise<never>(() => {})
    if (fate === 'unreachable') return 'lost'
    if (fate !== null && fate !== 'answer_lost') return fate
    if (met?.endpoint.auth === 'api_key') {
      const key = bearerKey(request.headers.get('authorization'))
      if (key !== service.apiKey) throw invalidApiKey()
    }
    const done = met
      ? await met.answer(await readCall(request, url, met.id))
      : await service.answerX402(x402Token ?? '', request.headers)
    return fate === 'answer_lost' ? 'lost' : done
  }

  const served = await answer().catch((error: unknown) => {
    if (error instanceof HttpError) return presentError(error, requestId)
    throw error
  })
  if (served === 'lost') return served
  const body = request.method === 'HEAD' ? null : served.body
  return { ...served, headers: { ...always, ...served.headers }, body }
}

const readableByPages = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Request-Id, Retry-After',
}

const readableX402 = {
  ...readableByPages,
  'access-control-expose-headers': `${x402Headers.required}, ${x402Headers.response}, X-Request-Id, Retry-After`,
  'cache-control': 'no-store',
}

const x402Preflight = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': `${x402Headers.signature}, access-control-expose-headers, content-type, x-request-id`,
}

function preflight(
  headers: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status: 204,
    headers: {
      ...headers,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type, x-request-id',
      'access-control-max-age': '86400',
      ...more,
    },
    body: null,
  }
}

function patternOf({ path }: Endpoint): RegExp {
  return new RegExp(`^${path.replace('{id}', '([^/]+)')}$`)
}

async function readCall(request: Request, url: URL, id: string): Promise<Call> {
  return {
    id,
    search: url.searchParams,
    headers: request.headers,
    body: {
      bytes: new Uint8Array(await request.arrayBuffer()),
      type: request.headers.get('content-type'),
      encoding: request.headers.get('content-encoding'),
    },
    signal: request.signal,
  }
}

function noRoute(
  method: string,
  path: string,
  here: readonly Matched[],
  withoutSlash: readonly Matched[],
): HttpError {
  if (here.length === 0) {
    const nothing = `There is nothing at ${method} ${path}.`
    const slash = 'An id in it is empty, or it has a slash too many at its end.'
    return new HttpError('not_found', withoutSlash.length > 0 ? `${nothing} ${slash}` : nothing)
  }
  const allow = ['GET', 'HEAD', 'POST', 'OPTIONS'].filter((candidate) =>
    here.some(({ endpoint }) =>
      candidate === 'OPTIONS'
        ? endpoint.auth === 'none'
        : endpoint.method === (candidate === 'HEAD' ? 'GET' : candidate),
    ),
  )
  const headers = { allow: allow.join(', ') }
  return new HttpError('method_not_allowed', `${path} does not take ${method}.`, {}, headers)
}
