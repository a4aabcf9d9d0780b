import { limits, type RequestOf, windows } from '@payment-intents/contract'
import { conflict, type Intent, invalidBody, notFound, notPaid } from '@payment-intents/rules'
import type { Ledger } from '../ledger.ts'
import {
  linksOf,
  presentById,
  presentReceipt,
  presentRetrieved,
  presentTransfer,
} from '../present.ts'
import type { Acted } from '../records.ts'
import { type Answer, json, page } from './answer.ts'
import { authorizeRoute } from './authorizeRoute.ts'
import { createRoute } from './createRoute.ts'
import { handOffRoute } from './handOffRoute.ts'
import { resolveRoute } from './resolveRoute.ts'
import { type Route, route } from './route.ts'

export function createRoutes(ledger: Ledger, baseUrl: string): readonly Route[] {
  /** Also what the chain took back. */
  const credited = ({ id }: Intent) => ledger.transfers.filter(({ intentId }) => intentId === id)
  return [
    createRoute(ledger, baseUrl),
    resolveRoute(ledger),
    authorizeRoute(ledger),
    handOffRoute(ledger, baseUrl),
    route('listPaymentIntents', ({ query }) => {
      const { status, chain, metadata = {}, starting_after: after } = query
      const wanted = Object.entries<string>(metadata)
      const found = ledger.intents.toReversed().filter((intent) => {
        const written: Record<string, unknown> = JSON.parse(intent.metadata)
        const has = ([key, text]: [string, string]) => isWritten(written, key, text)
        return (
          (status ?? intent.status) === intent.status &&
          (chain ?? intent.chain) === intent.chain &&
          (after === undefined || intent.id < after) &&
          isBetween(intent.createdAt, query) &&
          isOf(intent.wallet, query.wallet) &&
          isOf(intent.reference, query.reference) &&
          [undefined, Number(intent.amount), Number(intent.payable)].includes(query.amount_units) &&
          (!query.tx_hash || credited(intent).some(({ txHash }) => isOf(txHash, query.tx_hash))) &&
          (!query.payer || credited(intent).some(({ from }) => isOf(from, query.payer))) &&
          wanted.every(has)
        )
      })
      return page(found, query.limit ?? limits.pageSize.default, presentRetrieved)
    }),
    route('retrievePaymentIntent', ({ id }) => {
      const intent = ledger.find(id)
      if (!intent) throw notFound('payment intent')
      const tokens = { clientSecret: ledger.secretOf(id), x402Token: ledger.x402TokenOf(id) }
      return json(presentById(intent, linksOf(tokens, baseUrl)))
    }),
    route('retrieveReceipt', ({ id }) => {
      const intent = ledger.find(id)
      if (!intent) throw notFound('payment intent')
      const receipt = presentReceipt(intent, ledger.merchant.name)
      if (!receipt) throw notPaid()
      return json(receipt)
    }),
    route('cancelPaymentIntent', ({ id }) =>
      acted('payment intent', ledger.act(id, { type: 'cancel' })),
    ),
    route('acceptPaymentIntent', ({ id }) =>
      acted('payment intent', ledger.act(id, { type: 'accept' })),
    ),
    route('listEvents', ({ query }) => {
      const { type, payment_intent: intentId, starting_after: after } = query
      const position = ledger.events.findIndex(({ id }) => id === after)
      if (after !== undefined && position < 0) {
        const message =
          'is no event of this merchant and mode, or none that is kept any more: begin without it'
        throw invalidBody([{ path: 'starting_after', message }])
      }
      const since = ledger.now() - windows.history * 1_000
      const found = ledger.events.slice(position + 1).filter(
        (event) =>
          (after !== undefined || Date.parse(event.created_at) >= since) &&
          (type ?? event.type) === event.type &&
          // A transfer's event belongs to no intent, even if the transfer is assigned later.
          (intentId === undefined || event.data.object.id === intentId),
      )
      return page(found, query.limit ?? limits.pageSize.default, (event) => event)
    }),
    route('retrieveEvent', ({ id }) => {
      const event = ledger.events.find((candidate) => candidate.id === id)
      if (!event) throw notFound('event')
      return json(event)
    }),
    route('listTransfers', ({ query }) => {
      const { matched, starting_after: after } = query
      const found = ledger.transfers.toReversed().filter((transfer) => {
        const { id, intentId } = transfer
        return (
          (query.chain ?? transfer.chain) === transfer.chain &&
          (matched === undefined || (intentId !== null) === matched) &&
          (query.payment_intent ?? intentId) === intentId &&
          (after === undefined || id < after) &&
          isBetween(transfer.seenAt, query) &&
          isOf(transfer.txHash, query.tx_hash) &&
          isOf(transfer.from, query.payer) &&
          isOf(transfer.to, query.wallet) &&
          isOf(ledger.find(intentId ?? '')?.reference, query.reference) &&
          (query.amount_units ?? Number(transfer.amount)) === Number(transfer.amount)
        )
      })
      return page(found, query.limit ?? limits.pageSize.default, presentTransfer)
    }),
    route('assignTransfer', ({ id, body }) =>
      acted('transfer or payment intent', ledger.assign(id, body.payment_intent)),
    ),
  ]
}

function acted(noun: Parameters<typeof notFound>[0], outcome: Acted): Answer {
  switch (outcome.type) {
    case 'done':
      return json(presentRetrieved(outcome.intent))
    case 'not_found':
      throw notFound(noun)
    case 'refused':
      throw conflict(outcome.reason ?? 'illegal_state', outcome.message)
  }
}

/** Whether metadata has this value at its top level: a string, or a number or boolean as it was written. */
function isWritten(metadata: Record<string, unknown>, key: string, text: string) {
  const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined
  return ['string', 'number', 'boolean'].includes(typeof value) && String(value) === text
}

function isOf(text: string | undefined, asked: string | undefined): boolean {
  return asked === undefined || text === asked.toLowerCase()
}

/** @param time Unix milliseconds */
function isBetween(
  time: number,
  { created_after, created_before }: RequestOf<'listTransfers'>['query'],
): boolean {
  return (
    (created_after === undefined || time >= Date.parse(created_after)) &&
    (created_before === undefined || time < Date.parse(created_before))
  )
}
