import type { Mistake } from './mistake.ts'

/** Mistakes in a shop's backend: JavaScript that is run as it stands here. */
export const inBackend: readonly Mistake[] = [
  // Keys
  {
    mistake: 'A publishable key in place of the secret key',
    code: "createClient({ apiKey: 'pk_test_51HbVx0Kq', baseUrl })",
    about: 'sk_',
  },
  {
    mistake: 'A key with the line break of the file that it was read from',
    code: 'createClient({ apiKey: apiKey + "\\n", baseUrl })',
    about: 'API key',
  },
  {
    mistake: 'The secret of a webhook endpoint in place of the key',
    code: 'createClient({ apiKey: secret, baseUrl })',
    about: 'sk_',
  },
  {
    mistake: 'No key, neither passed nor in the environment',
    code: 'createClient({ baseUrl }).paymentIntents.list()',
    about: 'PAYMENT_INTENTS_API_KEY',
  },
  {
    mistake: 'A key of Stripe',
    code: "createClient({ apiKey: 'sk_test_51HbVx0KqW2eZvKYlo2C0aQ', baseUrl }).paymentIntents.list()",
    about: 'API key',
  },
  {
    mistake: 'The id of a payment in the other mode, or of another merchant',
    code: "client.paymentIntents.retrieve('pi_0Vn4kTqWbyG7')",
    about: 'mode',
  },
  {
    mistake: 'A request without the header Authorization',
    code: "fetch(baseUrl + '/v1/payment_intents')",
    about: 'Authorization',
  },
  {
    mistake: 'A key as the user of basic authentication, as curl -u sends it',
    code: "fetch(baseUrl + '/v1/payment_intents', { headers: { authorization: 'Basic ' + btoa(apiKey + ':') } })",
    about: 'Authorization',
  },
  // URLs
  {
    mistake: 'No base URL, neither passed nor in the environment',
    code: 'createClient({ apiKey }).paymentIntents.list()',
    about: 'PAYMENT_INTENTS_BASE_URL',
  },
  {
    mistake: 'A base URL without its scheme',
    code: "createClient({ apiKey, baseUrl: 'pay.example.com' })",
    about: 'baseUrl',
  },
  {
    mistake: 'A base URL that ends with the version',
    code: "createClient({ apiKey, baseUrl: baseUrl + '/v1' }).paymentIntents.list()",
    about: 'baseUrl',
  },
  {
    mistake: 'A live key over plain HTTP',
    code: "createClient({ apiKey: 'sk_live_Vn4kTqWbyG7', baseUrl: 'http://pay.example.com' })",
    about: 'baseUrl',
  },
  {
    mistake: 'The address of a service that is not running',
    code: "createClient({ apiKey, baseUrl: 'http://localhost:9', maxRetries: 0 }).paymentIntents.list()",
    about: 'baseUrl',
  },
  {
    mistake: 'The address of the shop in place of the service',
    code: 'createClient({ apiKey, baseUrl: shopUrl }).paymentIntents.list()',
    about: 'baseUrl',
  },
  // Options
  {
    mistake: 'An option in snake_case',
    code: 'createClient({ api_key: apiKey, base_url: baseUrl })',
    about: 'apiKey',
  },
  {
    mistake: 'A timeout as text',
    code: "client.createPaymentIntent({ amount_units: 25_000_000 }, { timeout: '5s' })",
    about: 'timeout',
  },
  {
    mistake: 'An idempotency key of an order that has no id yet',
    code: 'client.createPaymentIntent({ amount_units: 25_000_000 }, { idempotencyKey: undefined })',
    about: 'idempotencyKey',
  },
  {
    mistake: 'An idempotency key used again for another amount',
    code: "[await client.createPaymentIntent({ amount_units: 25_000_000 }, { idempotencyKey: 'order-1' }), await client.createPaymentIntent({ amount_units: 30_000_000 }, { idempotencyKey: 'order-1' })]",
    about: 'idempotency',
  },
  // Parameters
  {
    mistake: "Stripe's amount and currency",
    code: "client.createPaymentIntent({ amount: 2500, currency: 'usd' })",
    about: 'amount_units',
  },
  {
    mistake: 'A parameter in camelCase',
    code: 'client.createPaymentIntent({ amountUnits: 25_000_000 })',
    about: 'amount_units',
  },
  {
    mistake: 'An amount with a fraction',
    code: 'client.createPaymentIntent({ amount_units: 25.5 })',
    about: 'amount_units',
  },
  {
    mistake: 'An amount as text',
    code: "client.createPaymentIntent({ amount_units: '25.00' })",
    about: 'amount_units',
  },
  {
    mistake: 'An amount of nothing',
    code: 'client.createPaymentIntent({ amount_units: 0 })',
    about: 'amount_units',
  },
  {
    mistake: 'An amount in the 18 decimals of other tokens',
    code: 'client.createPaymentIntent({ amount_units: 25 * 10 ** 18 })',
    about: 'amount_units',
  },
  {
    mistake: 'A number where cents could be lost',
    code: 'toUnits(19.99)',
    about: 'toUnits',
  },
  {
    mistake: 'A price with a decimal comma',
    code: "toUnits('19,99')",
    about: 'toUnits',
  },
  {
    mistake: 'A chain that is not offered',
    code: "client.createPaymentIntent({ amount_units: 25_000_000, chain: 'ethereum' })",
    about: 'chain',
  },
  {
    mistake: 'A name of the naming service as the wallet',
    code: "client.createPaymentIntent({ amount_units: 25_000_000, wallet_address: 'kiosk.eth' })",
    about: 'wallet_address',
  },
  {
    mistake: "Checkout's success_url",
    code: "client.createPaymentIntent({ amount_units: 25_000_000, success_url: 'https://shop.example.com/thanks' })",
    about: 'success_url',
  },
  {
    mistake: 'A return_url whose origin is not registered',
    code: "client.paymentLinks.create({ amount_units: 25_000_000, description: 'A donation', return_url: 'https://shop.example.com/thanks' })",
    about: 'return_url',
  },
  {
    mistake: 'Metadata as a Map',
    code: "client.createPaymentIntent({ amount_units: 25_000_000, metadata: new Map([['order_id', '1042']]) })",
    about: 'metadata',
  },
  {
    mistake: 'A whole document in metadata',
    code: "client.createPaymentIntent({ amount_units: 25_000_000, metadata: { cart: 'x'.repeat(20_000) } })",
    about: 'metadata',
  },
  {
    mistake: 'A page of 1,000',
    code: 'client.paymentIntents.list({ limit: 1_000 })',
    about: 'limit',
  },
  {
    mistake: 'A Date where the API takes text',
    code: 'client.paymentIntents.list({ created_after: new Date(0) })',
    about: 'created_after',
  },
  {
    mistake: 'A list that continues after an id of another kind',
    code: "client.paymentIntents.list({ starting_after: 'evt_0Vn4kTqWbyG7' })",
    about: 'starting_after',
  },
  {
    mistake: 'The client secret in place of the id',
    code: 'client.paymentIntents.retrieve(intent.client_secret)',
    about: 'client_secret',
  },
  {
    mistake: 'The whole payment intent in place of its id',
    code: 'client.paymentIntents.retrieve(intent)',
    about: 'id',
  },
  {
    mistake: 'A forgotten await',
    code: 'client.paymentIntents.cancel(client.createPaymentIntent({ amount_units: 25_000_000 }))',
    about: 'await',
  },
  {
    mistake: 'The cancellation of a payment that has arrived',
    code: 'client.paymentIntents.cancel(paid.id)',
    about: 'cancel',
  },
  {
    mistake: 'The address of a webhook endpoint without its scheme',
    code: "client.webhookEndpoints.create({ url: 'shop.example.com/webhooks' })",
    about: 'url',
  },
  {
    mistake: "A type of Stripe's events",
    code: "client.webhookEndpoints.create({ url: 'https://shop.example.com/webhooks', enabled_events: ['payment_intent.payment_failed'] })",
    about: 'enabled_events',
  },
  // Webhooks
  {
    mistake: 'A body that was parsed before',
    code: 'verifyWebhook(JSON.parse(delivery.body), delivery.headers, secret)',
    about: 'body',
  },
  {
    mistake: 'The signature alone in place of the headers',
    code: "verifyWebhook(delivery.body, delivery.headers['webhook-signature'], secret)",
    about: 'webhook-id',
  },
  {
    mistake: 'The secret of another endpoint',
    code: 'verifyWebhook(delivery.body, delivery.headers, otherSecret)',
    about: 'secret',
  },
  {
    mistake: 'The API key as the secret of the endpoint',
    code: 'verifyWebhook(delivery.body, delivery.headers, apiKey)',
    about: 'secret',
  },
  {
    mistake: 'No secret, neither passed nor in the environment',
    code: 'verifyWebhook(delivery.body, delivery.headers)',
    about: 'PAYMENT_INTENTS_WEBHOOK_SECRET',
  },
  {
    mistake: 'A delivery of an hour ago, posted again',
    code: 'verifyWebhook(old.body, old.headers, secret)',
    about: 'ago',
  },
]
