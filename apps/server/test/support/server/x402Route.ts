import { encodeX402, type X402Payment } from '@payment-intents/contract'
import { paymentRequired } from '@payment-intents/node/fastify'
import type { DevAccount } from '@payment-intents/testing'
import fastify from 'fastify'
import type { Hex } from 'viem'
import { expect, onTestFinished } from 'vitest'
import { until } from '../../../../../tests/support/until.ts'
import type { Reader } from '../chain/readerOfTest.ts'
import { authorizedTransfer } from '../chain/signAuthorization.ts'
import type { Json } from './testServer.ts'
import { headerOf } from './x402Client.ts'

/** Waits for the next authorization to broadcast. */
export function inFlight({ db }: Reader): Promise<Json> {
  return until(async () => {
    const { rows } = await db.pool.query("select * from authorizations where status = 'in_flight'")
    return rows[0] ?? expect.fail('nothing was handed in')
  })
}

/**
 * Broadcasts the next authorization, like a relayer. It is in the mempool until a block is mined.
 * @returns the transaction's hash
 */
export async function broadcast(reader: Reader): Promise<Hex> {
  const { chain } = reader
  const [, , sender] = chain.accounts as [DevAccount, DevAccount, DevAccount]
  const row = await inFlight(reader)
  const message = {
    ...{ from: row.authorizer, to: row.recipient, value: String(row.amount_units) },
    ...{ validAfter: String(row.valid_after), validBefore: String(row.valid_before) },
    nonce: row.nonce,
  }
  const data = authorizedTransfer(message, row.signature)
  return (await chain.rpc('eth_sendTransaction', [
    { from: sender.address, to: chain.token, data },
  ])) as Hex
}

/** Opens a route that sells calls. Counts how many times its handler ran. */
export async function openRoute(
  { server, merchant }: Reader,
  terms: { price?: string; metadata?: Record<string, unknown> } = {},
) {
  const errors: unknown[] = []
  const sold = { calls: 0, errors }
  const app = fastify({ forceCloseConnections: true })
  const middleware = paymentRequired(
    { price: '0.01', wallet: merchant.wallet, ...terms },
    {
      apiKey: merchant.apiKey,
      baseUrl: server.url,
      onError: (error) => errors.push(error),
    },
  )
  app.get('/weather', { onRequest: middleware }, async () => {
    sold.calls += 1
    return { sky: 'clear' }
  })
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/weather`
  onTestFinished(() => app.close())
  const buy = (payload: unknown, more: RequestInit = {}) =>
    fetch(url, {
      headers: { 'payment-signature': encodeX402(payload as X402Payment) },
      ...more,
    })
  return {
    ...{ url, buy, sold },
    unpaid: async () => headerOf(await fetch(url), 'payment-required'),
  }
}
