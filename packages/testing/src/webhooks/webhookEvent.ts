import type { Chain, EventOf, EventType, Lane } from '@payment-intents/contract'
import type { OptionNames } from '@payment-intents/contract/options'
import { checkOptions } from '../checkOptions.ts'
import { type Acts, createActs } from '../service/acts.ts'
import { createLedger, type Ledger } from '../service/ledger.ts'
import { merchantOf } from '../service/merchant.ts'

type ObjectOf<Type extends EventType> = EventOf<Type>['data']['object']

/** Overrides of an event; fields that follow from them are adjusted. */
export type WebhookEventOverrides<Type extends EventType = EventType> = {
  id?: string
  created_at?: string
  mode?: EventOf<Type>['mode']
  sequence?: number
  /** Fields of `data.object`: of the payment intent, the transfer or the endpoint. */
  object?: Partial<ObjectOf<Type>>
}

const overrideNames: OptionNames<WebhookEventOverrides> = {
  ...{ id: true, created_at: true, mode: true, sequence: true, object: true },
}

/**
 * Creates an event as the service sends it. Its fields are consistent, because an in-memory intent is created and goes
 * through the steps that lead to the event. The amount, chain, lane and metadata that you pass are set at its creation.
 *
 * @example
 * ```ts
 * import { webhookEvent } from '@payment-intents/testing/webhooks'
 *
 * const event = webhookEvent('payment_intent.underpaid', {
 *   object: { amount_units: 25_000_000, metadata: { order_id: '1042' } },
 * })
 * console.log(event.data.object.amount_received_units) // 12500000
 * ```
 */
export function webhookEvent<Type extends EventType>(
  type: Type,
  overrides: WebhookEventOverrides<Type> = {},
): EventOf<Type> {
  checkOptions('webhookEvent', overrides, overrideNames)
  const { object = {}, ...envelope } = overrides
  const event = simulated(type, overrides.mode ?? 'testnet', object)
  return { ...event, ...envelope, data: { object: { ...event.data.object, ...object } } }
}

/** The steps after the creation of an intent that cause the event. */
const histories: Record<EventType, (story: { id: string; acts: Acts; ledger: Ledger }) => void> = {
  'payment_intent.created': () => {},
  'payment_intent.pending_confirmations': ({ id, acts }) => acts.pay(id, { confirmations: 1 }),
  'payment_intent.succeeded': ({ id, acts }) => acts.pay(id),
  'payment_intent.expired': ({ ledger }) => ledger.advance(3_601_000),
  'payment_intent.canceled': ({ id, ledger }) => ledger.act(id, { type: 'cancel' }),
  'payment_intent.underpaid': ({ id, acts }) => acts.underpay(id),
  'payment_intent.overpaid': ({ id, acts, ledger }) => {
    const payable = Number(ledger.find(id)?.payable)
    acts.pay(id, { amount_units: payable + 1_000_000 })
  },
  'payment_intent.paid_late': ({ id, acts }) => acts.payLate(id),
  'payment_intent.reorged': ({ id, acts }) => {
    acts.pay(id, { confirmations: 1 })
    acts.reorg(id)
  },
  'payment_intent.reversed': ({ id, acts }) => {
    acts.pay(id)
    acts.reorg(id)
  },
  'payment_intent.transfer_moved': ({ id, acts, ledger }) => {
    acts.pay(id)
    const again = acts.pay(id)
    const other = ledger.create({ amount_units: again.amount_units })
    const surplus = ledger.transfers.findLast(({ intentId }) => intentId === id)
    if (surplus && other.type === 'created') ledger.assign(surplus.id, other.intent.id)
  },
  // Any amount but the requested one.
  'transfer.unmatched': ({ id, acts, ledger }) =>
    acts.transfer({ amount_units: Number(ledger.find(id)?.payable) + 1 }),
  'webhook_endpoint.disabled': ({ ledger }) => ledger.loseEndpoint(),
}

type Terms = {
  amount_units?: number
  chain?: Chain
  lane?: Lane
  metadata?: Record<string, unknown>
}

function simulated<Type extends EventType>(
  type: Type,
  mode: EventOf<Type>['mode'],
  object: Partial<ObjectOf<Type>>,
): EventOf<Type> {
  const now = Date.now()
  // The first run measures the duration, since some steps wait for a deadline, so that the event is not in the future.
  const seconds = Math.ceil((simulate(type, mode, object as Terms, now).now() - now) / 1000)
  // Whole seconds, like deadlines.
  const { events } = simulate(type, mode, object as Terms, now - seconds * 1000)
  const event = events.findLast((candidate) => candidate.type === type)
  if (!event) throw new Error(`Nothing that happened ends with ${type}.`)
  return event as EventOf<Type>
}

function simulate(
  type: EventType,
  mode: EventOf<EventType>['mode'],
  terms: Terms,
  startsAt: number,
): Ledger {
  const { amount_units = 25_000_000, chain = 'base', lane = 'sdk', metadata = {} } = terms
  const ledger = createLedger(merchantOf({ mode, defaultChain: chain }), startsAt)
  const created = ledger.create({ amount_units, lane, metadata })
  if (created.type !== 'created') throw new Error('An event begins with a payment intent.')
  histories[type]({ id: created.intent.id, acts: createActs(ledger), ledger })
  return ledger
}
