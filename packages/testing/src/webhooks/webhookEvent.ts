import type { Address, Chain, EventOf, EventType, Lane } from '@payment-intents/contract'
import type { OptionNames } from '@payment-intents/contract/options'
import {
  applyRefundFacts,
  assign,
  cancel,
  type Intent,
  newRefund,
  newTerms,
  presentAlert,
  presentEndpoint,
  type Refund,
  type RefundAuthorization,
  type RefundFact,
  type StoredEndpoint,
} from '@payment-intents/core'
import { checkOptions } from '../lib/checkOptions.ts'
import { applyAction } from '../service/applyAction.ts'
import { createKitService, type KitService } from '../service/createKitService.ts'
import { merchantOf } from '../service/merchant.ts'
import { openIntent } from '../service/openIntent.ts'
import { createSimulation, type Simulation } from '../service/simulation.ts'

type ObjectOf<Type extends EventType> = EventOf<Type>['data']['object']

/** Overrides of an event; fields that follow from them are adjusted. */
export type WebhookEventOverrides<Type extends EventType = EventType> = {
  id?: string
  created_at?: string
  mode?: EventOf<Type>['mode']
  sequence?: number
  /** Fields of `data.object`: of the payment intent, the transfer, the refund, the endpoint or the alert. */
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

type Story = { readonly intent: Intent; readonly simulation: Simulation; readonly kit: KitService }

/** The steps after the creation of an intent that cause the event. */
const histories: Record<EventType, (story: Story) => void> = {
  'payment_intent.created': () => {},
  'payment_intent.pending_confirmations': ({ intent, simulation }) =>
    simulation.pay(intent.id, { confirmations: 1 }),
  'payment_intent.succeeded': ({ intent, simulation }) => simulation.pay(intent.id),
  'payment_intent.expired': ({ kit }) => kit.chain.advance(3_601_000),
  'payment_intent.canceled': ({ intent: { id }, kit }) =>
    applyAction(kit.records, { intent: id }, (locked) => cancel(locked, id), isRefunded),
  'payment_intent.underpaid': ({ intent, simulation }) => simulation.underpay(intent.id),
  'payment_intent.overpaid': ({ intent, simulation }) =>
    simulation.pay(intent.id, { amount_units: Number(intent.payable) + 1_000_000 }),
  'payment_intent.paid_late': ({ intent, simulation }) => simulation.payLate(intent.id),
  'payment_intent.reorged': ({ intent, simulation }) => {
    simulation.pay(intent.id, { confirmations: 1 })
    simulation.reorg(intent.id)
  },
  'payment_intent.reversed': ({ intent, simulation }) => {
    simulation.pay(intent.id)
    simulation.reorg(intent.id)
  },
  'payment_intent.transfer_moved': ({ intent, simulation, kit }) => {
    simulation.pay(intent.id)
    const second = simulation.pay(intent.id)
    const other = openNew(kit, { amount_units: second.amount_units })
    const transfers = [...kit.records.transfers.values()]
    const surplus = transfers.findLast(({ intentId }) => intentId === intent.id)
    const ids = { intent: other.id, transfer: surplus?.id ?? '' }
    applyAction(kit.records, ids, (locked) => assign(locked, other.id), isRefunded)
  },
  // Any amount but the requested amount.
  'transfer.unmatched': ({ intent, simulation }) =>
    simulation.transfer({ amount_units: Number(intent.payable) + 1 }),
  'refund.created': (story) => openRefund(story),
  'refund.updated': (story) => {
    const refund = openRefund(story, null)
    changeRefund(story, refund, { type: 'destination_named', destination: payer })
  },
  'refund.pending': (story) => signRefund(story, openRefund(story)),
  'refund.succeeded': (story) => payRefund(story),
  'refund.canceled': (story) => changeRefund(story, openRefund(story), { type: 'cancel' }),
  'refund.reversed': (story) => {
    const { chain, transfer } = payRefund(story)
    story.kit.chain.reorg(chain, Number(transfer?.blockNumber))
  },
  'webhook_endpoint.disabled': (story) => aboutEndpoint(story, 'webhook_endpoint.disabled', 'gone'),
  'webhook_endpoint.test': (story) => aboutEndpoint(story, 'webhook_endpoint.test', null),
  'alert.raised': ({ intent, simulation, kit }) => {
    simulation.transfer({ amount_units: Number(intent.payable) + 1 })
    const { merchant, ids, clock, transfers, write } = kit.records
    const objects = [...transfers.keys()].map((id) => ({ id, since: clock.now }))
    const cause = 'transfer_unmatched'
    const id = ids.next('alert', clock.now)
    const object = JSON.stringify(presentAlert({ id, cause, mode: merchant.mode, objects }))
    write({ type: 'alert.raised', sequence: 1, object }, null)
  },
}

function aboutEndpoint(
  { kit }: Story,
  type: EventType,
  disabledReason: StoredEndpoint['disabledReason'],
): void {
  const { merchant, ids, clock, write } = kit.records
  const endpoint = presentEndpoint({
    ...{ id: ids.next('we', clock.now), url: 'https://shop.example.com/webhooks' },
    ...{ description: '', enabledEvents: null, mode: merchant.mode, disabledReason },
    ...{ secretVersion: 1, secretKey: '', failingSince: null, createdAt: new Date(clock.now) },
  })
  write({ type, sequence: 1, object: JSON.stringify(endpoint) }, null)
}

const isRefunded = () => false
const payer: Address = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

/** A refund of the intent, which is paid. */
function openRefund(
  { intent, simulation, kit }: Story,
  destination: Address | null = payer,
): Refund {
  simulation.pay(intent.id)
  const { merchantId, mode, id } = intent
  const source = { type: 'payment_intent', id } as const
  const request = { source, destination, idempotency: null }
  const terms = { ...request, merchantId, amount: undefined, reason: null, metadata: '{}' }
  const created = kit.chain.refunds.create({ mode }, request, (locked) =>
    newRefund(kit, locked, terms),
  )
  if (created.type !== 'created') throw new Error(`The refund is ${created.type}.`)
  return created.refund
}

function changeRefund({ kit }: Story, { id }: Refund, fact: RefundFact): void {
  kit.chain.refunds.change({ id }, ({ refund }) => applyRefundFacts(refund, [fact]))
}

/** Signs like the merchant's wallet. */
function signRefund({ kit, intent }: Story, { id, reference, amount, token, chainId }: Refund) {
  const from = intent.wallet
  const validBefore = kit.records.seconds() + 600
  const authorization: RefundAuthorization = {
    ...{ id: kit.newId('auth', kit.now()), refundId: id, chainId, from, nonce: reference, token },
    ...{ to: payer, value: amount, validAfter: 0, validBefore, codeHash: null },
    signature: '0x',
  }
  kit.chain.refunds.change({ id, authorization }, ({ refund }) =>
    applyRefundFacts(refund, [{ type: 'signed', from }]),
  )
}

function payRefund(story: Story): Refund {
  const refund = openRefund(story)
  signRefund(story, refund)
  story.simulation.confirmRefund(refund.id)
  return story.kit.records.refunds.get(refund.id) ?? refund
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
  // Some steps wait for a deadline: the first run measures the duration, so that the event is not in the future.
  const seconds = Math.ceil((simulate(type, mode, object as Terms, now).now() - now) / 1000)
  // Whole seconds, like deadlines.
  const { records } = simulate(type, mode, object as Terms, now - seconds * 1000)
  const event = records.events.findLast((candidate) => candidate.type === type)
  if (!event) throw new Error(`The simulation produced no ${type}.`)
  return event.presented as EventOf<Type>
}

function simulate(
  type: EventType,
  mode: EventOf<EventType>['mode'],
  { chain = 'base', ...terms }: Terms,
  startsAt: number,
): KitService {
  const merchant = merchantOf({ mode, defaultChain: chain })
  const kit = createKitService(merchant, { startsAt, baseUrl: '', isGasless: false })
  const intent = openNew(kit, terms)
  const simulation = createSimulation(kit.records, kit.authorizations, kit.chain)
  histories[type]({ intent, simulation, kit })
  return kit
}

function openNew(kit: KitService, terms: Omit<Terms, 'chain'>): Intent {
  const { amount_units = 25_000_000, lane = 'sdk', metadata = {} } = terms
  const { merchant } = kit.records
  const request = { amount_units, lane }
  const intentTerms = newTerms(request, JSON.stringify(metadata), merchant, {
    newId: (createdAt) => kit.newId('pi', createdAt),
    salt: kit.randomSalt(),
    clock: kit.now,
    confirmations: merchant.serverConfirmations,
  })
  const intent = openIntent(kit.records, intentTerms)
  if (!intent) throw new Error('The payment intent of the event could not be created.')
  return intent
}
