import {
  type CreatePaymentIntent,
  createPaymentIntentSchema,
  windows,
  x402Headers,
} from '@payment-intents/contract'
import {
  checkMetadata,
  creationConflict,
  HttpError,
  idempotencyKey,
  parse,
  replayHeaders,
} from '@payment-intents/rules'
import type { Ledger } from '../ledger.ts'
import { linksOf, presentCreated } from '../present.ts'
import { type Answer, json } from './answer.ts'
import { readBody } from './read.ts'
import type { Route } from './route.ts'

type Kept = {
  readonly asked: string
  readonly at: number
  readonly answer: Answer
  readonly intentId: string
}

/** Creates one intent per idempotency key while the key is stored. */
export function createRoute(ledger: Ledger, baseUrl: string): Route {
  const answers = new Map<string, Kept>()
  return {
    operation: 'createPaymentIntent',
    async answer({ headers, body }) {
      const request = read(readBody(body))
      const key = idempotencyKey(headers.get('idempotency-key'))
      const asked = textOf(request)
      const payment = headers.get(x402Headers.signature)
      const find = () => {
        const kept = key === null ? undefined : answers.get(key)
        return kept && ledger.now() - kept.at < windows.idempotency * 1_000 ? kept : undefined
      }
      if (payment && !find()) await ledger.checkPayment(request, payment)
      const kept = find()
      if (kept) {
        if (kept.asked === asked) {
          const status = ledger.find(kept.intentId)?.status ?? null
          return {
            ...kept.answer,
            headers: { ...kept.answer.headers, ...replayHeaders(status) },
          }
        }
        // The wallet is checked before the key, as the service does.
        const fault = ledger.walletFault(request)
        if (fault !== null) throw new HttpError('wallet_invalid', fault)
        throw creationConflict('idempotency_key_reused')
      }

      const created = ledger.create(request, Boolean(payment))
      switch (created.type) {
        case 'wallet_invalid':
          throw new HttpError('wallet_invalid', created.message)
        case 'no_payable_amount_left':
          throw creationConflict('no_payable_amount_left')
      }
      const { intent, clientSecret } = created
      const links = linksOf({ clientSecret, x402Token: ledger.x402TokenOf(intent.id) }, baseUrl)
      const answer = json(presentCreated(intent, clientSecret, links))
      if (key !== null) answers.set(key, { asked, at: ledger.now(), answer, intentId: intent.id })
      return answer
    },
  }
}

function read(body: Record<string, unknown>): CreatePaymentIntent {
  const parsed = parse(createPaymentIntentSchema, body)
  // As sent: a schema's output lacks properties such as `__proto__`.
  const metadata = (body.metadata ?? {}) as Record<string, unknown>
  checkMetadata(metadata, new TextEncoder().encode(JSON.stringify(metadata)).length)
  return { ...parsed, metadata }
}

/** A fingerprint of a request that is independent of property order. */
function textOf(request: CreatePaymentIntent): string {
  const names = createPaymentIntentSchema.keyof().options
  return JSON.stringify(names.map((name) => request[name]))
}
