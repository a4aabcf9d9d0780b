import { handoffRequestSchema, windows } from '@payment-intents/contract'
import { conflict, HttpError, invalidBody, parse } from '@payment-intents/rules'
import type { Ledger } from '../ledger.ts'
import { json } from './answer.ts'
import { readBody } from './read.ts'
import type { Route } from './route.ts'

/** A link as the service gives, to a page that this service does not have. */
export function handOffRoute(ledger: Ledger, baseUrl: string): Route {
  return {
    operation: 'handOffPaymentIntent',
    answer({ body }) {
      // Browsers send JSON as text to avoid a preflight request.
      const type = /^text\/plain\b/.test(body.type ?? '') ? 'application/json' : body.type
      const asked = parse(handoffRequestSchema, readBody({ ...body, type }))
      const intent = ledger.findBySecret(asked.client_secret)
      if (!intent) {
        const message = 'No payment intent has this client secret.'
        throw new HttpError('intent_not_found', message)
      }
      if (asked.return_url !== undefined) {
        // The merchant of the test service has registered none.
        const message = 'must be https, and of an origin that the merchant has registered'
        throw invalidBody([{ path: 'return_url', message }])
      }
      const isOpen =
        intent.status === 'requires_payment' || intent.status === 'pending_confirmations'
      const expiresAt = intent.expiresAt * 1_000
      if (!isOpen || expiresAt <= ledger.now()) {
        throw conflict('illegal_state', 'The payment intent has ended: nothing is left to pay.')
      }
      const until = Math.min(ledger.now() + windows.handoff * 1_000, expiresAt)
      return json({
        url: `${baseUrl}/checkout/h/${token()}`,
        expires_at: new Date(until).toISOString(),
      })
    },
  }
}

/** As long as the service's, and as random. */
function token(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
}
