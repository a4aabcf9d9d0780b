import { type Client, createClient, verifyWebhook } from '../index.ts'
import { webhookHandler } from '../webhook/express.ts'
import { webhookRoute } from '../webhook/fastify.ts'
import { paymentRequired as hook } from '../x402/fastify.ts'
import { paymentRequired } from '../x402/next.ts'

const params = { amount_units: 1 }

export function rejectsUnknownOptions(client: Client, order: { id?: string }): void {
  // @ts-expect-error no such option
  client.createPaymentIntent(params, { idempotency_key: 'a' })
  const key = { idempotency_key: 'a' }
  // @ts-expect-error no such option, also of an object that has a name
  client.createPaymentIntent(params, key)
  // @ts-expect-error not an object
  client.createPaymentIntent(params, 'a')
  // @ts-expect-error not an object
  client.createPaymentIntent(params, 1)
  // @ts-expect-error the id may be missing
  client.createPaymentIntent(params, { idempotencyKey: order.id })
  // @ts-expect-error this call has no idempotency key
  client.paymentIntents.retrieve('pi_1', { idempotencyKey: 'a' })
  // @ts-expect-error no such option
  client.paymentIntents.list({}, { max_retries: 1 })
  // @ts-expect-error no such option
  createClient({ base_url: 'https://pay.example.com' })
  // @ts-expect-error an option of calls
  createClient({ idempotencyKey: 'a' })
}

export function refusesForWebhooksAndX402(body: string, headers: Headers): void {
  const wallet = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720'
  // @ts-expect-error no such option
  verifyWebhook(body, headers, 'whsec_a', { toleranceSeconds: 5 })
  // @ts-expect-error no such option
  webhookHandler(() => {}, { secrets: ['whsec_a'] })
  // @ts-expect-error no such option
  webhookRoute('/webhooks', () => {}, { on_error() {} })
  // @ts-expect-error no such term
  hook({ price: '0.01', wallet, meta_data: {} })
  // @ts-expect-error no such option
  paymentRequired({ price: '0.01', wallet }, () => new Response(), { base_url: '' })
}

export function accepts(client: Client, signal: AbortSignal | undefined): unknown {
  const { timeout } = { timeout: undefined as number | undefined }
  createClient({ timeout, signal, headers: new Headers(), logger: console })
  return client.createPaymentIntent(params, { idempotencyKey: 'a', timeout, signal })
}
