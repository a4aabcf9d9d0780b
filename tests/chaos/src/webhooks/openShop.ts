import { randomUUID } from 'node:crypto'
import type { Address } from '@payment-intents/contract'
import type { Json } from '@payment-intents/server/test/support/server/testServer.ts'
import type { DevChain } from '@payment-intents/testing'
import { until } from '../../../support/until.ts'
import type { SaleOutcome } from './drawRounds.ts'

/** A merchant and its customers, who retry until a response arrives. */
export type Merchant = {
  /** Resolves to the API's response to a request that was not refused, and how many `tries` that took. */
  request(method: string, path: string, body?: object): Promise<Json>
  /**
   * Places an order in the shop, and pays or cancels it; resolves when that is acknowledged. A payer makes
   * its payments in turn: the chain numbers the transactions of an account.
   */
  sell(saleOutcome: SaleOutcome, payer: Address): Promise<Sale>
}

export type Sale = {
  readonly orderId: string
  readonly intentId: string
  readonly saleOutcome: SaleOutcome
}

export function openShop(options: {
  readonly apiUrl: string
  readonly apiKey: string
  readonly shopUrl: string
  readonly chain: DevChain
}): Merchant {
  const { apiUrl, apiKey, shopUrl, chain } = options

  function request(method: string, path: string, body?: object): Promise<Json> {
    const headers = { authorization: `Bearer ${apiKey}`, 'idempotency-key': randomUUID() }
    return insist(method, apiUrl + path, headers, body)
  }

  async function pay(intent: Json, from: Address): Promise<void> {
    const { lane, expected_wallet, payable_amount_units, payment_reference } = intent
    await chain.pay({
      from,
      to: expected_wallet,
      amount: BigInt(payable_amount_units),
      ...(lane === 'sdk' ? { reference: payment_reference } : {}),
    })
  }

  return {
    request,
    async sell(saleOutcome, payer) {
      const order = { product_id: 'mug', lane: saleOutcome === 'paid_by_hand' ? 'manual' : 'sdk' }
      const { order_id } = await insist('POST', `${shopUrl}/api/orders`, {}, order)
      const placed = await insist('GET', `${shopUrl}/api/orders/${order_id}`, {})
      const path = `/v1/payment_intents/${placed.payment_intent_id}`
      if (saleOutcome === 'canceled') await request('POST', `${path}/cancel`)
      else if (saleOutcome !== 'left') await pay(await request('GET', path), payer)
      return { orderId: order_id, intentId: placed.payment_intent_id, saleOutcome }
    },
  }
}

function insist(
  method: string,
  url: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Json> {
  let tries = 0
  return until(async () => {
    tries += 1
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const content: Json = await response.json()
    if (response.ok) return { ...content, tries }
    // An earlier attempt may have deleted it.
    if (method === 'DELETE' && response.status === 404) return content
    throw new Error(`${method} ${url}: ${JSON.stringify(content)}`)
  })
}
