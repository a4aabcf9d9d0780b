import {
  authorizeRequestSchema,
  confirmReceiptSchema,
  type Endpoint,
  endpoints,
  errorTable,
  handoffRequestSchema,
  nameDestinationSchema,
  type Operation,
  resolveRefundSchema,
  resolveRequestSchema,
  x402Headers,
} from '@payment-intents/contract'
import {
  anyOrigin,
  authorizePaymentIntent,
  bearerKey,
  checkBody,
  commonHeaders,
  confirmReceipt,
  errorBody,
  HttpError,
  handlers,
  handOffPaymentIntent,
  invalidApiKey,
  jsonHeaders,
  type MerchantOperation,
  nameRefundDestination,
  noRoute,
  noSuchIntent,
  noSuchRefund,
  noSuchX402Link,
  parse,
  parseRequest,
  payByX402,
  preflight,
  presentForCheckout,
  readBody,
  requestId,
  requireX402Payment,
  resolveRefund,
  type ServiceRequest,
  x402AnyOrigin,
  x402Preflight,
  x402SellerRequest,
} from '@payment-intents/core'
import type { Fate } from './failures.ts'
import type { KitService } from './service.ts'
import { untilNewer } from './untilNewer.ts'

export type HttpResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** Adapts the service's handlers to a request: its route, its API key, and how it is to fail. */
type Adapter = {
  /** The only valid key. */
  readonly apiKey: string
  takeFailure(operation: Operation | 'x402'): Fate | null
}

type Route = {
  readonly operation: Operation | 'x402'
  readonly methods: readonly string[]
  readonly isForPages: boolean
  /** `{id}` of the path; empty where it has none. */
  readonly id: string
}

/** `lost`: the connection fails. */
export async function serve(
  request: Request,
  kit: KitService,
  { apiKey, takeFailure }: Adapter,
): Promise<HttpResponse | 'lost'> {
  const url = pathOf(request, kit)
  const id = requestId(request.headers.get('x-request-id'), () => crypto.randomUUID())
  const [path = ''] = url.split('?', 1)
  const here = routesAt(path)
  const withoutSlash = path.endsWith('/') ? routesAt(path.slice(0, -1)) : []
  const route = here.find(({ methods }) => methods.includes(request.method))
  const always = {
    ...commonHeaders(id),
    ...originHeaders(request.method, route ? [route] : [...here, ...withoutSlash]),
  }

  async function respond(): Promise<HttpResponse | 'lost'> {
    if (!route) {
      const taken = here.flatMap(({ methods }) => methods)
      throw noRoute(
        { method: request.method, url },
        taken,
        withoutSlash.length > 0 ? 'without_slash' : null,
      )
    }
    const { operation } = route
    if (request.method === 'OPTIONS') {
      const headers = operation === 'x402' ? x402Preflight : preflight
      return { status: 204, headers, body: null }
    }
    const fate = takeFailure(operation)
    if (fate instanceof HttpError) throw fate
    if (fate === 'hang') return new Promise<never>(() => {})
    if (fate === 'unreachable') return 'lost'
    if (fate !== null && fate !== 'answer_lost') return fate
    const response = await handle(request, { ...route, url }, kit, apiKey)
    return fate === 'answer_lost' ? 'lost' : response
  }

  const response = await respond().catch((error: unknown): HttpResponse => {
    if (!(error instanceof HttpError)) throw error
    return {
      status: errorTable[error.code].status,
      headers: { 'content-type': jsonHeaders['content-type'], ...error.headers },
      body: JSON.stringify(errorBody(error, id)),
    }
  })
  if (response === 'lost') return response
  const body = request.method === 'HEAD' ? null : response.body
  return { ...response, headers: { ...always, ...response.headers }, body }
}

/** Executes a request to a route that takes it. */
async function handle(
  request: Request,
  route: Route & { readonly url: string },
  kit: KitService,
  apiKey: string,
): Promise<HttpResponse> {
  const { operation } = route
  if (operation === 'x402') return respondX402(request, route.id, kit)
  if (isOfPages(operation)) return json(await handlePage(request, operation, kit))
  if (bearerKey(request.headers.get('authorization')) !== apiKey) throw invalidApiKey()
  const { merchant } = kit.records
  const { url, id } = route
  const bytes = await readBytes(request, false)
  const { body, headers } = await handleMerchant(operation, kit, {
    ...parseRequest(operation, { method: request.method, url, id, bytes }),
    ...{ merchant, actor: { merchantId: merchant.id, mode: merchant.mode } },
    header: (name) => request.headers.get(name),
  } as ServiceRequest<MerchantOperation>)
  return json(body, headers)
}

function handleMerchant<Name extends MerchantOperation>(
  name: Name,
  kit: KitService,
  request: ServiceRequest<Name>,
) {
  return handlers[name](kit, request)
}

/** Executes a request with a client secret, a refund's token or a receipt's salt. */
async function handlePage(
  request: Request,
  operation: Exclude<Operation, MerchantOperation>,
  kit: KitService,
): Promise<string> {
  const { value } = readBody(await readBytes(request, true))
  const idOf = (secret: string) => kit.findBySecret('client', secret) ?? noIntent()
  const refundOf = (token: string) => kit.findBySecret('refund', token) ?? noRefund()
  switch (operation) {
    case 'resolvePaymentIntent': {
      const {
        client_secret,
        payer,
        after_version: after,
        wait_seconds: seconds,
      } = parse(resolveRequestSchema, value)
      const id = idOf(client_secret)
      const { announced } = kit.records
      if (payer) announced.set(id, (announced.get(id) ?? new Set()).add(payer.toLowerCase()))
      if (after !== undefined && seconds) {
        await untilNewer(kit.records, { id, after, seconds }, request.signal)
      }
      return presentForCheckout(kit, await kit.store.paymentIntents.findForCheckout(id))
    }
    case 'authorizePaymentIntent': {
      const body = parse(authorizeRequestSchema, value)
      return (await authorizePaymentIntent(kit, idOf(body.client_secret), body)).body
    }
    case 'resolveRefund': {
      const body = parse(resolveRefundSchema, value)
      return resolveRefund(kit, refundOf(body.token), body)
    }
    case 'nameRefundDestination': {
      const body = parse(nameDestinationSchema, value)
      return nameRefundDestination(kit, refundOf(body.token), body)
    }
    case 'confirmReceipt':
      return confirmReceipt(kit, parse(confirmReceiptSchema, value))
    case 'handOffPaymentIntent': {
      const body = parse(handoffRequestSchema, value)
      return handOffPaymentIntent(kit, idOf(body.client_secret), body)
    }
  }
}

/** A request to an intent's x402 link. What it pays is in a block at once, so no response waits. */
async function respondX402(
  request: Request,
  token: string,
  kit: KitService,
): Promise<HttpResponse> {
  const id = kit.findBySecret('x402', token)
  const found = id === null ? null : await kit.store.paymentIntents.findForCheckout(id)
  if (!found) throw noSuchX402Link()
  const payment = request.headers.get(x402Headers.signature) || null
  const sellerRequest = x402SellerRequest(request.headers.get('payment-claim') || null)
  const { status, headers, body } =
    payment === null
      ? requireX402Payment(kit, found)
      : await payByX402(
          kit,
          found,
          { payment, sellerRequest },
          {
            countPayment: () => {},
            next({ id, chain }) {
              kit.chain.mine(chain, 1)
              return kit.store.paymentIntents.findForCheckout(id)
            },
            isGone: () => request.signal.aborted,
          },
        )
  return { ...json(JSON.stringify(body), headers), status }
}

function noIntent(): never {
  throw noSuchIntent()
}

function noRefund(): never {
  throw noSuchRefund()
}

function json(body: string, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return { status: 200, headers: { ...jsonHeaders, ...headers }, body }
}

async function readBytes(request: Request, acceptsText: boolean): Promise<Uint8Array> {
  const bytes = new Uint8Array(await request.arrayBuffer())
  const contentType = request.headers.get('content-type')
  const contentEncoding = request.headers.get('content-encoding')
  checkBody(bytes, { contentType, contentEncoding, acceptsText })
  return bytes
}

function isOfPages(operation: Operation): operation is Exclude<Operation, MerchantOperation> {
  return !(operation in handlers)
}

/** Path and query of a request, below the service's URL. */
function pathOf(request: Request, { publicUrl }: KitService): string {
  const { pathname, search } = new URL(request.url)
  return pathname.slice(new URL(publicUrl).pathname.replace(/\/$/, '').length) + search
}

function routesAt(path: string): Route[] {
  const [, token] = /^\/x402\/([^/]+)$/.exec(path) ?? []
  if (token !== undefined) {
    const methods = ['GET', 'HEAD', 'POST', 'OPTIONS']
    return [{ operation: 'x402', methods, isForPages: true, id: token }]
  }
  return (Object.keys(endpoints) as Operation[]).flatMap((operation) => {
    const endpoint: Endpoint = endpoints[operation]
    const pattern = new RegExp(`^${endpoint.path.replace('{id}', '([^/]*)')}$`)
    const match = pattern.exec(path)
    if (!match) return []
    const isForPages = endpoint.auth === 'none'
    const { method } = endpoint
    const methods = [
      method,
      ...(method === 'GET' ? ['HEAD'] : []),
      ...(isForPages ? ['OPTIONS'] : []),
    ]
    return [{ operation, methods, isForPages, id: match[1] ?? '' }]
  })
}

function originHeaders(method: string, routes: readonly Route[]): Readonly<Record<string, string>> {
  const isX402 = routes.some(({ operation }) => operation === 'x402')
  if (isX402 && method !== 'OPTIONS') return x402AnyOrigin
  return routes.some(({ isForPages }) => isForPages) ? anyOrigin : {}
}
