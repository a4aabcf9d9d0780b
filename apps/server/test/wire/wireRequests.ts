import { createHash } from 'node:crypto'
import { dataUrls, pictures } from '../../../../tests/support/pictures/testPictures.ts'

/** An action between requests. The recording has a line for it. */
export type WorldAction =
  | 'read the chain'
  | 'hold the idempotency key order-3'
  | 'release the idempotency key order-3'
  | 'reserve every payable amount above 7 units'
  | 'wait until every webhook is delivered'
  | 'sign what is offered to a payer without gas'
  | 'sign the newest refund'
  | 'pay the newest refund by hand'
  | 'cut the connection to the database'

export type Recorded = {
  readonly title: string
  /**
   * The server that gets the request: `helpers` moves the development chain, `limited` refuses by its limits,
   * `gasless` submits authorizations, `away` has no database.
   */
  readonly to: 'server' | 'helpers' | 'limited' | 'gasless' | 'away'
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** The body of the response is not recorded, since another test checks it and it changes often. */
  readonly unread?: true
}

const key = { authorization: 'Bearer <key>' }
const json = { 'content-type': 'application/json' }
const intents = '/v1/payment_intents'
const refunds = '/v1/refunds'
const refundKey = { 'idempotency-key': 'refund-1' }
const toPayer = '{"destination":"<payer>"}'
const anotherRefund = '{"payment_intent":"<pi_4>","amount_units":20000,"destination":"<payer>"}'
const signedRefund =
  '{"authorization":{"from":"<refund_wallet>","to":"<payer>","value":"10000","validAfter":"0","validBefore":"<refund_until>","nonce":"<refund_nonce>"},"signature":"<refunded>"}'
const unmined = `0x${'12'.repeat(32)}`
const toShop = '{"destination":"<wallet>"}'
const links = '/v1/payment_links'
const pictureHash = createHash('sha256')
  .update(Buffer.from(pictures.png, 'base64'))
  .digest('base64url')
const linkKey = { 'idempotency-key': 'link-1' }
const linkBody = '{"amount_units":40000000,"description":"Term 2","max_payments":1}'
const settings = '/v1/settings'
const origins = '/v1/return_origins'
const hooks = '/v1/webhook_endpoints'
const resolve = `${intents}/resolve`
const zero = `0x${'0'.repeat(40)}`

function request(
  title: string,
  line: string,
  headers: Recorded['headers'] = {},
  body?: string,
): Recorded {
  const [method = '', path = ''] = line.split(' ', 2)
  return { title, to: 'server', method, path, headers, ...(body === undefined ? {} : { body }) }
}
const get = (title: string, path: string) => request(title, `GET ${path}`, key)
const patch = (title: string, path: string, body: string) =>
  request(title, `PATCH ${path}`, { ...key, ...json }, body)
const post = (title: string, path: string, body?: string, headers = {}) =>
  request(title, `POST ${path}`, { ...key, ...(body ? json : {}), ...headers }, body)
const create = (title: string, body: string, headers = {}) => post(title, intents, body, headers)
const help = (title: string, path: string, body?: string): Recorded => ({
  ...post(title, `/v1/test_helpers/${path}`, body),
  to: 'helpers',
})
const resolved = (title: string, body: string, headers: Recorded['headers'] = json) =>
  request(title, `POST ${resolve}`, { origin: 'https://shop.example', ...headers }, body)
const page = { origin: 'https://shop.example' }
const sameOrigin = { 'sec-fetch-site': 'same-origin' }
const handedOff = (title: string, body: string) =>
  request(title, `POST ${intents}/handoff`, { ...page, 'content-type': 'text/plain' }, body)
const opened = (title: string, body: string) =>
  request(title, 'POST /checkout/session', { ...json, ...sameOrigin }, body)
/** A request to the server that submits authorizations, as a page sends it. */
const withoutGas = (title: string, path: string, body: string): Recorded => ({
  ...request(title, `POST ${intents}/${path}`, { origin: 'https://shop.example', ...json }, body),
  to: 'gasless',
})
const authorized = (signature: string, validAfter = '0') =>
  `{"client_secret":"<client_secret_8>","authorization":{"from":"<payer>","to":"<wallet>","value":"70000000","validAfter":"${validAfter}","validBefore":"<expires>","nonce":"<reference>"},"signature":"${signature}"}`
/** A request as the page of a refund's payer sends it. */
const byLink = (title: string, path: string, body: string) =>
  request(title, `POST ${refunds}/${path}`, { ...sameOrigin, 'content-type': 'text/plain' }, body)
const fromPayer = (destination: string) =>
  `{"token":"<refund_link_4>","destination":"${destination}"}`
const unread = (recorded: Recorded): Recorded => ({ ...recorded, unread: true })

/**
 * The requests in order. Each price occurs once, so that payable amounts differ. Names in angle brackets are values
 * that the test chose, or that earlier responses had.
 */
export const requests: readonly (Recorded | WorldAction)[] = [
  // Without a key.
  request('liveness', 'GET /livez'),
  request('readiness', 'GET /readyz'),
  unread(request('metrics', 'GET /metrics')),
  unread(request('the document of the API', 'GET /openapi.json')),
  unread(request('the script of the checkout', 'GET /v1/browser.js', { 'accept-encoding': 'br' })),
  unread(request('its messages', 'GET /v1/locales/es.json')),
  request('messages of a language that is not there', 'GET /v1/locales/xx.json'),
  request('the hosted checkout', 'GET /checkout/'),
  unread(request('its script', 'GET /v1/checkout.js')),
  request('the page of receipts', 'GET /receipt'),
  unread(request('its script', 'GET /v1/receipt.js')),
  request('the head of a response', 'HEAD /livez'),
  request('an unknown path', 'GET /v1/nothing?a=1'),
  request('another method than the path takes', `PUT ${intents}`),
  request('a path that is not UTF-8', `GET ${intents}/%ff`, key),
  request('a request with an id of its own', 'GET /v1/nothing', { 'x-request-id': 'my-request.1' }),

  // Authentication.
  request('no key', `POST ${intents}`, json, '{"amount_units":1}'),
  request('a wrong key', `GET ${intents}`, { authorization: 'Bearer sk_test_wrong' }),
  request('the key of a closed merchant', `GET ${intents}`, {
    authorization: 'Bearer <closed_key>',
  }),
  request(
    'a read-only key',
    `POST ${intents}`,
    { ...json, authorization: 'Bearer <read_only_key>' },
    '{"amount_units":1}',
  ),

  // Creation.
  create('create a payment intent', '{"amount_units":25000000}'),
  create(
    'create with everything',
    '{"amount_units":20000000,"chain":"base","wallet_address":"<other_wallet>","expires_in_minutes":90,"lane":"manual","metadata":{"order_id":"1042","2":"b","1":1.0,"nested":{"z":[null,"é"]}},"token":"USDC"}',
    { 'idempotency-key': 'order-1' },
  ),
  create(
    'the same again, in another order',
    '{"metadata":{"order_id":"1042","2":"b","1":1.0,"nested":{"z":[null,"é"]}},"token":"USDC","lane":"manual","expires_in_minutes":90,"wallet_address":"<other_wallet>","chain":"base","amount_units":20000000}',
    { 'idempotency-key': 'order-1' },
  ),
  create('the same key with another amount', '{"amount_units":26000000}', {
    'idempotency-key': 'order-1',
  }),
  'hold the idempotency key order-3',
  create('a key whose first request is not finished', '{"amount_units":25000000}', {
    'idempotency-key': 'order-3',
  }),
  'release the idempotency key order-3',
  'reserve every payable amount above 7 units',
  create('no payable amount left', '{"amount_units":7,"lane":"manual"}'),
  create('a wallet that is none', `{"amount_units":1,"wallet_address":"${zero}"}`),
  create('a chain without a wallet', '{"amount_units":1,"chain":"polygon"}'),
  create('an empty idempotency key', '{"amount_units":1}', { 'idempotency-key': '' }),
  create('not JSON', '{"amount_units":'),
  create('not an object', '[1]'),
  create('a property twice', '{"amount_units":1,"amount_units":2}'),
  create('wrong types, and an unknown property', '{"amount_units":"1","lane":1,"a":{"b":1}}'),
  create('an amount beyond integers', '{"amount_units":9007199254740993}'),
  create('deep metadata', `{"amount_units":1,"metadata":{"a":${'['.repeat(9)}${']'.repeat(9)}}}`),
  create('no body', ''),
  create('another content type', '{"amount_units":1}', { 'content-type': 'text/plain' }),

  // Reading and listing.
  get('retrieve a payment intent', `${intents}/<pi_1>`),
  get('retrieve a receipt before it is paid', `${intents}/<pi_1>/receipt`),
  get('retrieve a timeline', `${intents}/<pi_1>/timeline`),
  request('its head', `HEAD ${intents}/<pi_1>`, key),
  get('an id that is not there', `${intents}/pi_nothing`),
  request('an intent of another merchant', `GET ${intents}/<pi_1>`, {
    authorization: 'Bearer <other_key>',
  }),
  get('list payment intents', intents),
  get('the first page', `${intents}?limit=1`),
  get('the page after it', `${intents}?limit=1&starting_after=<pi_2>`),
  get('those with this metadata', `${intents}?metadata[order_id]=1042&chain=base`),
  get('those of a status that none has', `${intents}?status=succeeded`),
  get('a wrong query', `${intents}?limit=0&starting_after=evt_1&status=lost&page=2`),
  get('a parameter twice', `${intents}?limit=1&limit=2`),

  // The checkout.
  handedOff('hand a checkout to another browser', '{"client_secret":"<client_secret_1>"}'),
  request('preflight before JSON', `OPTIONS ${intents}/handoff`, page),
  handedOff('a handoff with a wrong secret', '{"client_secret":"<client_secret_1>x"}'),
  handedOff(
    'a return to an origin that is not registered',
    '{"client_secret":"<client_secret_1>","return_url":"https://shop.example/"}',
  ),
  request('the page that it opens', 'HEAD /checkout/h/<handoff_1>'),
  opened('which opens a session', '{"token":"<handoff_1>"}'),
  opened('once', '{"token":"<handoff_1>"}'),
  opened('with neither token nor secret', '{}'),
  request(
    'the session of a page',
    'POST /checkout/<pi_1>/session',
    {
      ...{ ...json, ...sameOrigin, cookie: 'checkout_session=<session_1>' },
    },
    '{}',
  ),
  request(
    'of another site',
    'POST /checkout/<pi_1>/session',
    {
      ...{ ...json, 'sec-fetch-site': 'cross-site', cookie: 'checkout_session=<session_1>' },
    },
    '{}',
  ),
  resolved('resolve a client secret', '{"client_secret":"<client_secret_1>"}'),
  resolved(
    'as text, with the account that will pay',
    '{"client_secret":"<client_secret_1>","payer":"<payer>","after_version":0,"wait_seconds":25}',
    { 'content-type': 'text/plain;charset=UTF-8' },
  ),
  resolved('a wrong secret', '{"client_secret":"<client_secret_1>x"}'),
  resolved('a wrong body', '{"client_secret":1,"wait_seconds":26,"after_version":-1}'),
  resolved('a body that is too large', `{"client_secret":"${'x'.repeat(1_024)}"}`),
  request('the preflight of a browser', `OPTIONS ${resolve}`, {
    origin: 'https://shop.example',
    'access-control-request-method': 'POST',
  }),
  request('resolve by GET', `GET ${resolve}`),
  {
    ...resolved('more than the limit', '{"client_secret":"<client_secret_1>"}'),
    to: 'limited',
  },

  // The summary of a period.
  get(
    'retrieve a summary',
    '/v1/summary?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z&interval=day',
  ),
  get('a summary of no period', '/v1/summary?from=2020-01-01T00:00:00Z&to=2020-01-01T00:00:00Z'),

  // Settings.
  get('retrieve the settings', settings),
  patch(
    'change settings',
    settings,
    '{"brand":{"accent":"#0F766E"},"support":"help@shop.example"}',
  ),
  patch('a wrong setting', settings, '{"name":"Shop","guide":"shop.example"}'),
  patch(
    'match the plain price without a wallet',
    settings,
    '{"chains":{"polygon":{"match_plain_price":true}}}',
  ),

  // Return origins.
  post('allow a return origin', origins, '{"origin":"https://shop.example"}'),
  post('allow a path', origins, '{"origin":"https://shop.example/thanks"}'),
  get('list return origins', origins),
  request('disallow it', `DELETE ${origins}/<ro_1>`, key),
  request('disallow it once more', `DELETE ${origins}/<ro_1>`, key),

  // Webhook endpoints. No events exist yet.
  post('create a webhook endpoint', hooks, '{"url":"<receiver>/all","description":"All"}'),
  post(
    'create for a single type',
    hooks,
    '{"url":"<receiver>/some","enabled_events":["payment_intent.canceled"]}',
  ),
  post('a wrong URL', hooks, '{"url":"ftp://shop.example","enabled_events":[]}'),
  get('list webhook endpoints', hooks),
  get('retrieve a webhook endpoint', `${hooks}/<we_1>`),
  get('a webhook endpoint that is not there', `${hooks}/we_nothing`),

  // Canceling and accepting.
  post('cancel', `${intents}/<pi_2>/cancel`),
  post('cancel once more', `${intents}/<pi_2>/cancel`, '{}'),
  post('cancel with a property', `${intents}/<pi_2>/cancel`, '{"reason":"none"}'),
  post('accept what has nothing to accept', `${intents}/<pi_1>/accept`),

  // Payments.
  help('pay', `payment_intents/<pi_1>/pay`, `{"from":"<payer>"}`),
  'read the chain',
  resolved('resolve while it is confirmed', '{"client_secret":"<client_secret_1>"}'),
  help('mine', `chain/mine`, '{"blocks":5}'),
  'read the chain',
  get('retrieve what is paid', `${intents}/<pi_1>`),
  get('retrieve its receipt', `${intents}/<pi_1>/receipt`),
  request(
    'confirm its receipt',
    'POST /receipt',
    { origin: 'https://shop.example', 'content-type': 'text/plain' },
    '{"payment_intent":"<pi_1>","salt":"<hash_5>"}',
  ),
  resolved('resolve what is paid', '{"client_secret":"<client_secret_1>"}'),
  post('cancel what is paid', `${intents}/<pi_1>/cancel`),
  create('create for a part', '{"amount_units":30000000}'),
  help('underpay', `payment_intents/<pi_3>/underpay`, '{"missing_units":10000000}'),
  help('underpay with nothing', `payment_intents/<pi_3>/underpay`, '{"missing_units":30000000}'),
  'read the chain',
  post('accept a part', `${intents}/<pi_3>/accept`),
  create('create for a payment of another amount', '{"amount_units":40000000}'),
  help(
    'pay another amount by hand',
    `payment_intents/<pi_4>/pay`,
    '{"rail":"manual","amount_units":40000001}',
  ),
  help('mine on', `chain/mine`, '{"blocks":6}'),
  'read the chain',
  get('list transfers', '/v1/transfers'),
  get('those that are unmatched', '/v1/transfers?matched=false&chain=base&limit=1'),
  get('those of a payment intent', '/v1/transfers?payment_intent=<pi_1>'),
  get('a wrong query of transfers', '/v1/transfers?matched=perhaps'),
  get('list what needs attention', '/v1/attention'),
  get('the items of a type', '/v1/attention?type=refund_waiting&limit=1'),
  get('a wrong query of what needs attention', '/v1/attention?type=all&starting_after=tr_1'),
  resolved('resolve what has a near miss', '{"client_secret":"<client_secret_4>"}'),
  post('assign', '/v1/transfers/<tr_1>/assign', '{"payment_intent":"<pi_4>"}'),
  post('assign once more', '/v1/transfers/<tr_1>/assign', '{"payment_intent":"<pi_4>"}'),
  post('assign elsewhere', '/v1/transfers/<tr_1>/assign', '{"payment_intent":"<pi_3>"}'),
  post(
    'assign what is not there',
    '/v1/transfers/tr_nothing/assign',
    '{"payment_intent":"<pi_3>"}',
  ),
  post('assign to nothing', '/v1/transfers/<tr_1>/assign', '{}'),
  create('create, to be paid late', '{"amount_units":50000000,"expires_in_minutes":5}'),
  create('create another to cancel', '{"amount_units":60000000}'),
  post('cancel that', `${intents}/<pi_6>/cancel`),

  // Events and deliveries.
  get('list events', '/v1/events'),
  get('the third', '/v1/events?limit=1&starting_after=<evt_2>'),
  get('those of a type', '/v1/events?type=payment_intent.canceled'),
  get('those of a payment intent', '/v1/events?payment_intent=<pi_3>'),
  get('after an event that is not there', `/v1/events?starting_after=evt_${'0'.repeat(30)}`),
  get('retrieve an event', '/v1/events/<evt_1>'),
  get('an event that is not there', '/v1/events/evt_nothing'),
  'wait until every webhook is delivered',
  get('list deliveries', `${hooks}/<we_2>/deliveries`),
  get('the older delivery', `${hooks}/<we_2>/deliveries?limit=1&starting_after=<evt_11>`),
  get('list attempts', `${hooks}/<we_2>/attempts`),
  get('those of an event', `${hooks}/<we_2>/attempts?limit=1&event=<evt_11>`),
  get('a wrong query of attempts', `${hooks}/<we_2>/attempts?event=!&starting_after=evt_1`),
  post('redeliver', '/v1/events/<evt_1>/redeliver', '{"webhook_endpoint":"<we_1>"}'),
  post('redeliver what is not there', '/v1/events/evt_nothing/redeliver'),
  'wait until every webhook is delivered',
  post('recover', `${hooks}/<we_1>/recover`, '{"since":"<yesterday>"}'),
  post('recover from too long ago', `${hooks}/<we_1>/recover`, '{"since":"2020-01-01T00:00:00Z"}'),
  post('rotate the secret', `${hooks}/<we_1>/rotate_secret`, '{"overlap_hours":1}'),
  post('send a test event', `${hooks}/<we_2>/test`),
  request('disable', `PATCH ${hooks}/<we_1>`, { ...key, ...json }, '{"status":"disabled"}'),
  post(
    'redeliver to a disabled endpoint',
    '/v1/events/<evt_1>/redeliver',
    '{"webhook_endpoint":"<we_1>"}',
  ),
  post('test a disabled endpoint', `${hooks}/<we_1>/test`),
  request('delete', `DELETE ${hooks}/<we_1>`, key),
  request('delete once more', `DELETE ${hooks}/<we_1>`, key),

  // Refunds.
  post('refund a part', refunds, '{"payment_intent":"<pi_4>","amount_units":10000}', refundKey),
  post('refund it again', refunds, '{"payment_intent":"<pi_4>","amount_units":10000}', refundKey),
  post('refund another part', refunds, '{"payment_intent":"<pi_4>"}', refundKey),
  post('refund too much', refunds, '{"payment_intent":"<pi_4>","amount_units":99999999}'),
  post('refund nothing', refunds, '{}'),
  get('list refunds', refunds),
  get('those of a status', `${refunds}?status=succeeded&limit=1`),
  get('export transfers', '/v1/export?what=transfers'),
  get('export a period', '/v1/export?what=refunds&created_before=2026-01-31T00:00:00%2B01:00'),
  get('a wrong query of an export', '/v1/export?what=payments&limit=1'),
  get('retrieve a refund', `${refunds}/<re_1>`),
  get('a refund that is not there', `${refunds}/re_nothing`),
  request('name the destination', `PATCH ${refunds}/<re_1>`, { ...key, ...json }, toPayer),
  request('to the merchant', `PATCH ${refunds}/<re_1>`, { ...key, ...json }, toShop),
  post('authorize without a signature', `${refunds}/<re_1>/authorize`, '{}'),
  'sign the newest refund',
  { ...post('authorize', `${refunds}/<re_1>/authorize`, signedRefund), to: 'gasless' },
  post('cancel what is signed', `${refunds}/<re_1>/cancel`),
  post('refund another part', refunds, anotherRefund),
  post('cancel it', `${refunds}/<re_2>/cancel`),
  post('cancel it once more', `${refunds}/<re_2>/cancel`, '{}'),
  post('refund a last part', refunds, anotherRefund),
  {
    ...post('attach what is in no block', `${refunds}/<re_3>/attach`, `{"tx_hash":"${unmined}"}`),
    to: 'gasless',
  },
  'pay the newest refund by hand',
  { ...post('attach', `${refunds}/<re_3>/attach`, '{"tx_hash":"<payout>"}'), to: 'gasless' },
  post('refund what the payer names', refunds, '{"payment_intent":"<pi_4>","amount_units":30000}'),
  byLink('look at it', 'resolve', '{"token":"<refund_link_4>"}'),
  byLink('what to sign', 'resolve', '{"token":"<refund_link_4>","account":"<payer>"}'),
  byLink('look with nothing', 'resolve', '{}'),
  byLink('name a wallet of the merchant', 'destination', fromPayer('<wallet>')),
  byLink('name an address', 'destination', fromPayer('<payer>')),
  post('confirm another', `${refunds}/<re_4>/confirm`, '{"destination":"<refund_wallet>"}'),
  post('confirm it', `${refunds}/<re_4>/confirm`, '{"destination":"<payer>"}'),
  byLink('name another address', 'destination', fromPayer('<refund_wallet>')),

  // Payment links.
  post('create a payment link', links, linkBody, linkKey),
  post('create it again', links, linkBody, linkKey),
  post('another under its key', links, '{"amount_units":1,"description":"A"}', linkKey),
  post(
    'create with an open amount',
    links,
    '{"amount_units":null,"min_units":1000000,"max_units":50000000,"description":"Donation","chains":["base"],"expires_at":"2999-01-01T00:00:00Z","metadata":{"2":"b","1":1.0}}',
  ),
  post('create with neither', links, '{"description":"A"}'),
  post(
    'create on a chain without a wallet',
    links,
    '{"amount_units":1,"description":"A","chains":["polygon"]}',
  ),
  post(
    'create with a return to another origin',
    links,
    '{"amount_units":1,"description":"A","return_url":"https://shop.example/"}',
  ),
  get('retrieve a payment link', `${links}/<plink_1>`),
  get('a payment link that is not there', `${links}/plink_nothing`),
  request('a link of another merchant', `GET ${links}/<plink_1>`, {
    authorization: 'Bearer <other_key>',
  }),
  get('list payment links', links),
  get('those that are active', `${links}?active=true&limit=1`),
  get('a wrong query of payment links', `${links}?active=1`),
  request('resolve a payment link', `POST ${links}/resolve`, json, '{"id":"<plink_1>"}'),
  request(
    'pay a payment link',
    `POST ${links}/pay`,
    json,
    '{"id":"<plink_1>","chain":"base","visitor":"visitor-000000000000000001"}',
  ),
  patch('show a picture', `${links}/<plink_1>`, `{"picture":"${dataUrls.png}"}`),
  patch('show markup', `${links}/<plink_1>`, '{"picture":"data:image/png;base64,PHN2Zy8+"}'),
  { ...request('the picture', `GET /v1/pictures/${pictureHash}`), unread: true },
  request('a picture that is not there', 'GET /v1/pictures/x'),
  patch('deactivate', `${links}/<plink_1>`, '{"active":false}'),
  patch('change what it costs', `${links}/<plink_1>`, '{"amount_units":1}'),
  get('payment intents of a payment link', `${intents}?payment_link=<plink_1>`),
  get('events of a payment link', '/v1/events?payment_link=<plink_1>'),
  create('create for a payment link', '{"amount_units":1,"payment_link":"<plink_1>"}'),

  // Actions on the development chain.
  help('pay late', `payment_intents/<pi_5>/pay_late`),
  'read the chain',
  get('retrieve what is paid late', `${intents}/<pi_5>`),
  post('accept what is late', `${intents}/<pi_5>/accept`),
  help('reorganize', `chain/reorg`, '{"depth":1}'),
  help('advance the time', `chain/advance_time`, '{"seconds":60}'),
  'read the chain',
  get('retrieve what the chain took back', `${intents}/<pi_5>`),
  help('reorganize too deep', `chain/reorg`, '{"depth":65}'),

  // A payer without gas.
  create('create for a payer without gas', '{"amount_units":70000000}'),
  withoutGas('resolve what can be authorized', 'resolve', '{"client_secret":"<client_secret_8>"}'),
  'sign what is offered to a payer without gas',
  withoutGas('authorize with another signature', 'authorize', authorized(`0x${'12'.repeat(65)}`)),
  withoutGas('authorize other terms', 'authorize', authorized('<signature>', '1')),
  withoutGas('authorize', 'authorize', authorized('<signature>')),
  withoutGas('authorize once more', 'authorize', authorized('<signature>')),
  withoutGas('resolve what is authorized', 'resolve', '{"client_secret":"<client_secret_8>"}'),
  post('cancel what is authorized', `${intents}/<pi_7>/cancel`),
  request('authorize by GET', `GET ${intents}/authorize`),

  // An outage.
  'cut the connection to the database',
  { ...create('create without a database', '{"amount_units":1}'), to: 'away' },
  { ...get('list without a database', intents), to: 'away' },
  { ...request('readiness without a database', 'GET /readyz'), to: 'away' },
]

/** Bytes that are not a request, each on a new connection. */
export const unreadable = {
  'no HTTP': 'no HTTP\r\n\r\n',
  'headers that are too large': `GET / HTTP/1.1\r\nhost: a\r\nb: ${'x'.repeat(20_000)}\r\n\r\n`,
}
