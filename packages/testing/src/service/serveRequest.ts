import {
  authorizeRequestSchema,
  confirmReceiptSchema,
  type Endpoint,
  endpoints,
  errorTable,
  handoffRequestSchema,
  nameDestinationSchema,
  type Operation,
  payPaymentLinkSchema,
  resolvePaymentLinkSchema,
  resolveRefundSchema,
  resolveRequestSchema,
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
  noSuchPicture,
  noSuchRefund,
  parse,
  parseRequest,
  payPaymentLink,
  pictureResponse,
  preflight,
  presentEvents,
  presentForCheckout,
  readBody,
  recordOpening,
  requestId,
  resolvePaymentLink,
  resolveRefund,
  type ServiceRequest,
  type ServiceResponse,
  type StreamedResponse,
  viewForCheckout,
  x402AnyOrigin,
  x402Preflight,
} from '@payment-intents/core'
import type { KitService } from './createKitService.ts'
import type { FailureOutcome } from './failures.ts'
import { isX402, type Payable, respondX402 } from './serveX402.ts'
import { streamOf } from './streamOf.ts'
import { waitForEvents } from './waitForEvents.ts'
import { waitUntil } from './waitUntil.ts'

export type HttpResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null
}

/** Adapts the service's handlers to a request: its route, its API key and its planned failure. */
type Adapter = {
  /** The only valid key. */
  readonly apiKey: string
  takeFailure(operation: Operation | Payable): FailureOutcome | null
}

type Route = {
  readonly operation: Operation | Payable | 'picture'
  readonly methods: readonly string[]
  readonly isForPages: boolean
  /** `{id}` of the path, or a picture's hash; else empty. */
  readonly id: string
}

/** `lost`: the connection fails. */
export async function serveRequest(
  request: Request,
  kit: KitService,
  { apiKey, takeFailure }: Adapter,
): Promise<HttpResponse | 'lost'> {
  const url = pathOf(request, kit)
  const id = requestId(request.headers.get('x-request-id'), () => crypto.randomUUID())
  const [path = ''] = url.split('?', 1)
  const pathRoutes = routesAt(path)
  const withoutSlash = path.endsWith('/') ? routesAt(path.slice(0, -1)) : []
  const route = pathRoutes.find(({ methods }) => methods.includes(request.method))
  const always = {
    ...commonHeaders(id),
    ...originHeaders(request.method, route ? [route] : [...pathRoutes, ...withoutSlash]),
  }

  async function respond(): Promise<HttpResponse | 'lost'> {
    if (!route) {
      const allowed = pathRoutes.flatMap(({ methods }) => methods)
      throw noRoute(
        { method: request.method, url },
        allowed,
        withoutSlash.length > 0 ? 'without_slash' : null,
      )
    }
    const { operation } = route
    if (request.method === 'OPTIONS') {
      const headers = isX402(operation) ? x402Preflight : preflight
      return { status: 204, headers, body: null }
    }
    if (operation === 'picture') return servePicture(request, route.id, kit)
    const failure = takeFailure(operation)
    if (failure instanceof HttpError) throw failure
    if (failure === 'hang') return new Promise<never>(() => {})
    if (failure === 'unreachable') return 'lost'
    if (failure !== null && failure !== 'response_lost') return failure
    const response = await handle(request, { ...route, operation, url }, kit, apiKey)
    return failure === 'response_lost' ? 'lost' : response
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

/** Executes a request of a merchant. */
async function handle(
  request: Request,
  route: Route & { readonly operation: Operation | Payable; readonly url: string },
  kit: KitService,
  apiKey: string,
): Promise<HttpResponse> {
  const { operation } = route
  if (isX402(operation)) {
    const response = await respondX402(request, { operation, id: route.id }, kit)
    return { ...json(JSON.stringify(response.body), response.headers), status: response.status }
  }
  if (isOfPages(operation)) return json(await handlePage(request, operation, kit))
  const key = bearerKey(request.headers.get('authorization'))
  if (key !== apiKey) throw invalidApiKey(key, kit)
  const { merchant } = kit.records
  const { url, id } = route
  const bytes = await readBytes(request, { ...endpoints[operation], acceptsText: false })
  const merchantRequest = {
    ...parseRequest(operation, { method: request.method, url, id, bytes }),
    ...{ merchant, actor: { merchantId: merchant.id, mode: merchant.mode } },
    header: (name) => request.headers.get(name),
  } as ServiceRequest<MerchantOperation>
  const { wait } = Object(merchantRequest.query) as { readonly wait?: number }
  if (operation === 'listEvents' && wait) {
    const wanted = merchantRequest as unknown as ServiceRequest<'listEvents'>
    const page = await waitForEvents(kit, wanted, request.signal)
    return json(presentEvents(page).body)
  }
  const response = await handleMerchant(operation, kit, merchantRequest)
  if ('pieces' in response) {
    return { status: 200, headers: response.headers, body: streamOf(response.pieces) }
  }
  return json(response.body, response.headers)
}

function handleMerchant<Name extends MerchantOperation>(
  name: Name,
  kit: KitService,
  request: ServiceRequest<Name>,
): Promise<ServiceResponse | StreamedResponse> {
  return handlers[name](kit, request)
}

/** Executes a request with a client secret, a refund's token, a receipt's salt or a link's id. */
async function handlePage(
  request: Request,
  operation: Exclude<Operation, MerchantOperation>,
  kit: KitService,
): Promise<string> {
  const { value } = readBody(
    await readBytes(request, { ...endpoints[operation], acceptsText: true }),
  )
  const idOf = (secret: string) => kit.findBySecret('client', secret) ?? noIntent()
  const refundOf = (token: string) => kit.findBySecret('refund', token) ?? noRefund()
  switch (operation) {
    case 'resolvePaymentIntent': {
      const {
        client_secret,
        payer,
        after_version: after,
        wait_seconds: seconds,
        reserve_amount,
      } = parse(resolveRequestSchema, value)
      const id = idOf(client_secret)
      const { announced } = kit.records
      if (payer) announced.set(id, (announced.get(id) ?? new Set()).add(payer.toLowerCase()))
      if (reserve_amount) await kit.store.paymentIntents.reserveAmount(id)
      if (after !== undefined && seconds) {
        const isDone = () => (kit.records.intents.get(id)?.version ?? 0) > after
        await waitUntil(kit.records, { isMet: isDone, seconds }, request.signal)
      }
      const view = viewForCheckout(kit, await kit.store.paymentIntents.findForCheckout(id))
      await recordOpening(kit, view)
      return presentForCheckout(kit, view)
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
    case 'resolvePaymentLink':
      return resolvePaymentLink(kit, parse(resolvePaymentLinkSchema, value))
    case 'payPaymentLink':
      // Every payer here has one client address.
      return payPaymentLink(kit, parse(payPaymentLinkSchema, value), 'client')
    case 'confirmReceipt':
      return confirmReceipt(kit, parse(confirmReceiptSchema, value))
    case 'handOffPaymentIntent': {
      const body = parse(handoffRequestSchema, value)
      return handOffPaymentIntent(kit, idOf(body.client_secret), body)
    }
  }
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

async function readBytes(
  request: Request,
  { acceptsText, ...endpoint }: Pick<Endpoint, 'bodyBytes'> & { readonly acceptsText: boolean },
): Promise<Uint8Array> {
  const bytes = new Uint8Array(await request.arrayBuffer())
  const contentType = request.headers.get('content-type')
  const contentEncoding = request.headers.get('content-encoding')
  checkBody(bytes, { contentType, contentEncoding, acceptsText }, endpoint)
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

/** The picture of a payment link, or the logo, at its hash. */
function servePicture(request: Request, hash: string, { records }: KitService): HttpResponse {
  const { pictures, merchant } = records
  const picture = [...pictures.values(), merchant.logo].find((image) => image?.hash === hash)
  if (!picture) throw noSuchPicture()
  const ifNoneMatch = request.headers.get('if-none-match')
  const { body, ...response } = pictureResponse(picture, {
    ...{ hash, ifNoneMatch },
  })
  return { ...response, body: body && new Uint8Array(body) }
}

function routesAt(path: string): Route[] {
  const [, hash] = /^\/v1\/(?:pictures|logos)\/([^/]+)$/.exec(path) ?? []
  if (hash !== undefined) {
    return [{ operation: 'picture', methods: ['GET', 'HEAD'], isForPages: false, id: hash }]
  }
  const [, prefix, id] = /^\/(x402|l)\/([^/]+)$/.exec(path) ?? []
  if (id !== undefined) {
    const methods = ['GET', 'HEAD', 'POST', 'OPTIONS']
    const operation = prefix === 'l' ? 'x402_link' : 'x402'
    return [{ operation, methods, isForPages: true, id }]
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
  const isPayable = routes.some(({ operation }) => isX402(operation))
  if (isPayable && method !== 'OPTIONS') return x402AnyOrigin
  return routes.some(({ isForPages }) => isForPages) ? anyOrigin : {}
}
