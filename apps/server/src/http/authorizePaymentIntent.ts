import {
  conflict,
  HttpError,
  internalError,
  invalidBody,
  presentAuthorized,
} from '@payment-intents/rules'
import type { FastifyInstance } from 'fastify'
import type { Hex } from 'viem'
import { findForCheckouts } from '../db/intents/paymentIntents.ts'
import { type AcceptedAuthorization, acceptAuthorization } from '../intents/acceptAuthorization.ts'
import { shareReads } from '../shareReads.ts'
import type { HttpContext } from './context.ts'
import { createGate } from './gate.ts'
import { noSuchIntent, pageEndpoint } from './pageEndpoint.ts'

/** A body has a secret, a message, and a signature of at most 4 KiB in hexadecimal digits. */
const bodyLimit = 10 * 1024
/** Each asks a provider of the chain, unlike a resolve. */
const fewerThanResolves = 6

export function authorizePaymentIntentRoute(app: FastifyInstance, context: HttpContext): void {
  const { db, database, share, resolveLimit } = context
  const limit = { ...resolveLimit, max: Math.ceil(resolveLimit.max / fewerThanResolves) }
  const gate = createGate({ most: share, waiting: 1_000, waitMs: 5_000, database })
  const find = shareReads({ db, database }, (ids) => findForCheckouts(db.pool, ids))
  const accepting = {
    ...{ db, gasless: context.gasless, clock: context.clock },
    inspect: context.inspectAuthorization,
    inTurn: <Result>(work: () => Promise<Result>) => gate('payers', work),
  }

  pageEndpoint(
    app,
    context,
    'authorizePaymentIntent',
    { bodyLimit, limit },
    async ({ id, body, request }) => {
      const found = await find(id)
      if (!found || !context.network(found.intent.chainId)) throw noSuchIntent()
      const { authorization } = body
      const signature = body.signature as Hex
      const handedIn = {
        intent: found.intent,
        authorization,
        signature,
        source: 'checkout',
      } as const
      const accepted = await acceptAuthorization(accepting, handedIn)
      if (accepted.type === 'accepted') {
        const { from, value } = authorization
        request.log.info({ payment_intent: id, from, amount_units: value }, 'authorized')
      }
      return answerOf(accepted)
    },
  )
}

/** @throws {HttpError} what is refused */
function answerOf(accepted: AcceptedAuthorization): string {
  switch (accepted.type) {
    case 'accepted':
    case 'known':
      return presentAuthorized(accepted.intent, accepted.authorization)
    case 'mismatched':
      throw invalidBody(accepted.issues)
    case 'refused': {
      const { reason, message } = accepted
      if (reason !== 'signature_invalid') throw conflict(reason, message)
      throw new HttpError('invalid_body', message, {
        reason,
        issues: [{ path: 'signature', message }],
      })
    }
    case 'unavailable':
      throw internalError()
  }
}
