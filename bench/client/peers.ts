import { randomUUID } from 'node:crypto'
import { fetchModule } from '../../scripts/fetch/fetchModule.ts'

/** A finished call: sent, received, parsed. */
type Call = () => Promise<unknown>

type Peer = {
  /** Loads nothing but what it needs. */
  prepare(port: number): Promise<Call>
}

const apiKey = 'sk_test_0123456789abcdefABCDEF'
const path = '/v1/payment_intents'
const metadata = { order_id: 'order_1042', customer_id: 'customer_7' }
const params = { amount_units: 25_000_000, chain: 'base', metadata } as const

/** Clients with their usual settings, then bare requests without a client. */
export const peers = {
  'payment-intents': {
    async prepare(port) {
      const { createClient } = await import('@payment-intents/node')
      const client = createClient({ apiKey, baseUrl: `http://127.0.0.1:${port}` })
      return () => client.createPaymentIntent(params)
    },
  },
  'payment-intents over fetch': {
    async prepare(port) {
      const { createClient } = await import('@payment-intents/node')
      const client = createClient({ apiKey, baseUrl: `http://127.0.0.1:${port}`, fetch })
      return () => client.createPaymentIntent(params)
    },
  },
  stripe: {
    async prepare(port) {
      type Create = { readonly paymentIntents: { create(params: object): Promise<unknown> } }
      type Exports = new (key: string, options: object) => Create
      const Stripe = await fetchModule<Exports>('client-peers', 'stripe')
      const stripe = new Stripe(apiKey, {
        ...{ host: '127.0.0.1', port, protocol: 'http' },
        ...{ maxNetworkRetries: 2, telemetry: false },
      })
      return () => stripe.paymentIntents.create({ amount: 2_500, currency: 'usd', metadata })
    },
  },
  openai: {
    async prepare(port) {
      type Post = { post(path: string, options: object): Promise<unknown> }
      type Exports = { readonly OpenAI: new (options: object) => Post }
      const { OpenAI } = await fetchModule<Exports>('client-peers', 'openai')
      const client = new OpenAI({ apiKey, baseURL: `http://127.0.0.1:${port}`, maxRetries: 2 })
      return async () => client.post(path, { body: params })
    },
  },
  'global fetch': {
    async prepare(port) {
      const url = `http://127.0.0.1:${port}${path}`
      return async () => {
        const body = JSON.stringify(params)
        const response = await fetch(url, { method: 'POST', headers: headers(), body })
        return response.json()
      }
    },
  },
  'undici request': {
    async prepare(port) {
      const { request } = await import('undici')
      const url = `http://127.0.0.1:${port}${path}`
      return async () => {
        const body = JSON.stringify(params)
        const response = await request(url, { method: 'POST', headers: headers(), body })
        return response.body.json()
      }
    },
  },
  'node:http': {
    async prepare(port) {
      const { Agent, request } = await import('node:http')
      const agent = new Agent({ keepAlive: true })
      const target = { agent, host: '127.0.0.1', port, path, method: 'POST' }
      return () =>
        new Promise((resolve, reject) => {
          const body = JSON.stringify(params)
          request({ ...target, headers: headers() }, (response) => {
            let text = ''
            response.setEncoding('utf8').on('data', (chunk) => {
              text += chunk
            })
            response.on('end', () => resolve(JSON.parse(text)))
          })
            .on('error', reject)
            .end(body)
        })
    },
  },
} satisfies Record<string, Peer>

export type PeerName = keyof typeof peers

function headers() {
  return {
    accept: 'application/json',
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  }
}
