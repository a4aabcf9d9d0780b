import type { Address } from '@payment-intents/contract'
import { type Order, servers } from './plan.ts'
import { type Hex, strayAmount } from './trialChain.ts'
import { readAll } from './trialClient.ts'
import type { OrderRecord, Transfer, TrialRecord } from './trialRecord.ts'
import type { World } from './trialWorld.ts'

/** Merchants and their payers. */
export type Shops = {
  readonly orders: readonly OrderRecord[]
  readonly resolved: TrialRecord['resolved']
  /** Creates an intent and does what its order says; resolves when all of it is acknowledged or sent. */
  place(order: Order, payer: Address): Promise<void>
  /** Repeats payments that the chain has taken back. */
  payDropped(): Promise<void>
  /** Assigns the listed transfers for orders that are paid by assignment. */
  assign(): Promise<void>
  /** Ends the checkouts' held requests. */
  close(): Promise<void>
}

type Created = {
  readonly id: string
  readonly client_secret: string
  readonly payable_amount_units: number
  readonly payment_reference: Hex
}
type Resolved = { readonly version: number; readonly status: string }

/** Servers live longer than that, even on a machine that kills a server every other second: every third kill ends the same server. */
const heldSeconds = 3

export function openShops({ client, chain, merchants }: World): Shops {
  const orders: OrderRecord[] = []
  const resolved: { intentId: string; version: number; status: string }[] = []
  const closing = new AbortController()
  const held: Promise<void>[] = []
  /** Intents by the amounts that are to be assigned to them. */
  const assigned = new Map<number, { intentId: string; merchant: number }>()
  let placed = 0

  const apiKeyOf = (merchant: number) => merchants[merchant]?.apiKey
  const walletOf = (merchant: number) => merchants[merchant]?.wallet ?? '0x'

  async function create(
    order: Order,
    key: string,
  ): Promise<{ intent: Created; responses: string[] }> {
    const isManual = order.kind === 'paid_by_amount'
    const body = {
      amount_units: order.price,
      expires_in_minutes: 60,
      lane: isManual ? 'manual' : 'sdk',
      metadata: { order: key },
    }
    const responses: string[] = []
    // Again at each server.
    for (let time = 0; time < servers; time += 1) {
      const { status, text } = await client.request({
        ...{ method: 'POST', path: '/v1/payment_intents', apiKey: apiKeyOf(order.merchant), body },
        ...{ idempotencyKey: key, server: order.server + time },
        isImpatient: order.isImpatient && time === 0,
      })
      if (status !== 200) throw new Error(`${key}: ${status} ${text}`)
      responses.push(text)
    }
    return { intent: JSON.parse(responses[0] ?? '{}'), responses }
  }

  async function pay(order: Order, payer: Address, intent: Created, number: number): Promise<void> {
    const { payment_reference: reference, id: intentId } = intent
    const payable = BigInt(intent.payable_amount_units)
    const send = (amount: bigint, named: Hex | null) =>
      chain.pay({
        ...{ from: payer, to: walletOf(order.merchant), amount, reference: named, intentId },
      })
    switch (order.kind) {
      case 'paid_by_amount':
        return send(payable, null)
      case 'paid_in_parts':
        await send(payable / 3n, reference)
        return send(payable - payable / 3n, reference)
      case 'paid_twice':
        await send(payable, reference)
        return send(payable, reference)
      case 'paid_by_assignment': {
        const amount = strayAmount(number)
        assigned.set(Number(amount), { intentId, merchant: order.merchant })
        return send(amount, null)
      }
      case 'underpaid':
        return send(payable / 2n, reference)
      case 'left':
      case 'canceled':
        return
      default:
        return send(payable, reference)
    }
  }

  async function hold({ id: intentId, client_secret }: Created): Promise<void> {
    const { signal } = closing
    for (let version = 0; !signal.aborted; ) {
      const intent: Resolved = await client.read({
        ...{ method: 'POST', path: '/v1/payment_intents/resolve', signal },
        body: { client_secret, after_version: version, wait_seconds: heldSeconds },
        waitSeconds: heldSeconds,
      })
      version = intent.version
      resolved.push({ intentId, version, status: intent.status })
      if (intent.status === 'succeeded' || intent.status === 'canceled') return
    }
  }

  return {
    ...{ orders, resolved },
    async place(order, payer) {
      placed += 1
      const number = placed
      const key = `order-${number}`
      const { intent, responses } = await create(order, key)
      const { kind, merchant } = order
      orders.push({ ...{ key, merchant, kind, responses }, intentId: intent.id })
      if (order.isHeld) {
        // When the run ends, so does the wait.
        const holding = hold(intent).catch((error) => {
          if (!closing.signal.aborted) throw error
        })
        // Until `close` throws it.
        holding.catch(() => {})
        held.push(holding)
      }
      if (kind === 'canceled' || kind === 'paid_after_cancel') {
        await client.read({
          ...{ method: 'POST', path: `/v1/payment_intents/${intent.id}/cancel` },
          ...{ apiKey: apiKeyOf(merchant), server: order.server },
        })
      }
      await pay(order, payer, intent, number)
    },
    async payDropped() {
      for (const payment of chain.takeDropped()) await chain.pay(payment)
    },
    async assign() {
      for (const [number, { apiKey }] of merchants.entries()) {
        const path = '/v1/transfers?matched=false'
        const unmatched = await readAll<Transfer>(client, apiKey, path)
        for (const { id, amount_units, orphaned } of unmatched) {
          const order = assigned.get(amount_units)
          if (orphaned || order?.merchant !== number) continue
          // Refused where the chain takes it back at this moment.
          await client.request({
            ...{ method: 'POST', path: `/v1/transfers/${id}/assign`, apiKey },
            body: { payment_intent: order.intentId },
          })
        }
      }
    },
    async close() {
      closing.abort()
      await Promise.all(held)
    },
  }
}
