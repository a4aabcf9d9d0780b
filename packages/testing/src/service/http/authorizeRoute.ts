import { authorizeRequestSchema } from '@payment-intents/contract'
import { conflict, HttpError, invalidBody, parse, presentAuthorized } from '@payment-intents/rules'
import type { Hex } from 'viem'
import type { Ledger } from '../ledger.ts'
import { json } from './answer.ts'
import { readPageBody } from './read.ts'
import type { Route } from './route.ts'

export function authorizeRoute(ledger: Ledger): Route {
  return {
    operation: 'authorizePaymentIntent',
    async answer({ body }) {
      const asked = parse(authorizeRequestSchema, readPageBody(body))
      const intent = ledger.findBySecret(asked.client_secret)
      if (!intent) {
        const message = 'No payment intent has this client secret.'
        throw new HttpError('intent_not_found', message)
      }
      const { authorization } = asked
      const signature = asked.signature as Hex
      const given = { authorization, signature, source: 'checkout' } as const
      const handedIn = await ledger.authorize(intent.id, given)
      switch (handedIn.type) {
        case 'accepted':
          return json(JSON.parse(presentAuthorized(handedIn.intent, handedIn.authorization)))
        case 'mismatched':
          throw invalidBody(handedIn.issues)
        case 'refused': {
          const { reason, message } = handedIn
          if (reason !== 'signature_invalid') throw conflict(reason, message)
          const issues = [{ path: 'signature', message }]
          throw new HttpError('invalid_body', message, { reason, issues })
        }
      }
    },
  }
}
