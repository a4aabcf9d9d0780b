import { randomUUID } from 'node:crypto'
import { vi } from 'vitest'
import type { Json } from '../test/testServer.ts'

/** A merchant's backend, which asks one server after another until it is answered. */
export type Shop = {
  /** Resolves to the answer of a request that was not refused. */
  ask(method: string, path: string, body?: object): Promise<Json>
  /** Makes an intent, and perhaps cancels it; resolves when both are acknowledged. */
  sell(canceled: boolean): Promise<Sale>
}

export type Sale = { id: string; canceled: boolean }

export function openShop(urls: readonly string[], apiKey: string): Shop {
  let turn = 0
  async function ask(method: string, path: string, body?: object): Promise<Json> {
    const key = randomUUID()
    return vi.waitFor(
      async () => {
        turn += 1
        const response = await fetch(`${urls[turn % urls.length]}${path}`, {
          method,
          headers: {
            authorization: `Bearer ${apiKey}`,
            'idempotency-key': key,
            'content-type': 'application/json',
          },
          ...(body ? { body: JSON.stringify(body) } : {}),
        })
        const answer: Json = await response.json()
        if (response.ok) return answer
        // What an earlier try has deleted is gone.
        if (method === 'DELETE' && response.status === 404) return answer
        throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
      },
      { timeout: 120_000, interval: 50 },
    )
  }
  return {
    ask,
    async sell(canceled) {
      const { id } = await ask('POST', '/v1/payment_intents', { amount_units: 25_000_000 })
      if (canceled) await ask('POST', `/v1/payment_intents/${id}/cancel`)
      return { id, canceled }
    },
  }
}
