import { createClient, isPaymentIntentsError, type PaymentIntent } from '@payment-intents/node'
import {
  createTestMerchant,
  startTestServer,
} from '@payment-intents/server/test/support/server/testServer.ts'
import { startFaultServer } from '@payment-intents/testing/faults'
import { afterAll, expect, test } from 'vitest'
import { patience } from '../../../support/patience.ts'
import { isFull } from '../../../support/tier.ts'
import { drawSchedule } from './schedule.ts'

const seed = Number(process.env.FAULT_SEED ?? 1)
const count = Number(process.env.FAULT_CALLS ?? (isFull ? 10_000 : 250))
const calls =
  process.env.FAULT_CALL === undefined
    ? Array.from({ length: count }, (_, call) => call)
    : [Number(process.env.FAULT_CALL)]
const atOnce = 64
const patient = { timeout: patience, deadline: 5 * patience, maxRetries: 20 }

/** How calls ended, by code. */
const tally: Record<string, number> = {}
afterAll(() => console.info(`client faults: seed ${seed}`, tally))

test(`${calls.length} calls through random faults make one intent each`, {
  timeout: 20 * patience,
}, async () => {
  const server = await startTestServer()
  const { apiKey } = await createTestMerchant(server.db)
  const proxy = await startFaultServer({
    upstream: server.url,
    plan: ({ body, attempt }) =>
      drawSchedule(seed, callOf(body)).faults[attempt - 1] ?? { type: 'none' },
  })
  const through = createClient({ apiKey, baseUrl: proxy.url })
  const direct = createClient({ apiKey, baseUrl: server.url, ...patient })
  const waiting = calls.values()
  /** The id that each call gave, or its repetition. */
  const made = new Map<number, string>()
  const worker = async () => {
    for (const call of waiting) {
      const id = await create(call).catch((error) => {
        throw new Error(`${error.message}\nReplay: ${replay(call)}`, { cause: error })
      })
      made.set(call, id)
    }
  }

  async function create(call: number): Promise<string> {
    const { limits, abortAfter } = drawSchedule(seed, call)
    // Distinct amounts: they identify manual payments to one wallet.
    const params = { amount_units: 1_000_000 + 20_000 * call, metadata: { call } }
    const leaving = new AbortController()
    const timer =
      abortAfter === undefined ? undefined : setTimeout(() => leaving.abort(), abortAfter)
    try {
      const options = { ...limits, signal: leaving.signal }
      const intent = await through.createPaymentIntent(params, options)
      countEnd('fulfilled')
      expect(intent).toMatchObject(params)
      return intent.id
    } catch (error) {
      if (!isPaymentIntentsError(error) || !error.idempotencyKey) throw error
      countEnd(error.code)
      expect(error.attempts).toBeLessThanOrEqual(limits.maxRetries + 1)
      expect(JSON.stringify(error) + error.stack).not.toContain(apiKey)
      // The key makes a single intent of both calls, whether the first took effect or not.
      const { idempotencyKey } = error
      return (await direct.createPaymentIntent(params, { idempotencyKey })).id
    } finally {
      clearTimeout(timer)
    }
  }

  try {
    await Promise.all(Array.from({ length: atOnce }, worker))
    const { rows } = await server.db.pool.query<{ call: string; ids: string[] }>(
      `select metadata::json ->> 'call' as call, array_agg(id) as ids from payment_intents group by 1`,
    )
    expect(rows).toHaveLength(calls.length)
    for (const { call, ids } of rows) {
      expect(ids, replay(Number(call))).toEqual([made.get(Number(call))])
    }
  } finally {
    await proxy.stop()
    await server.close()
  }
})

function countEnd(end: string): void {
  tally[end] = (tally[end] ?? 0) + 1
}

function callOf(body: string): number {
  const { metadata } = JSON.parse(body) as Pick<PaymentIntent, 'metadata'>
  return Number(metadata.call)
}

function replay(call: number): string {
  return `FAULT_SEED=${seed} FAULT_CALL=${call} npx vitest run --project runtimes clientFaults`
}
