import type { DatabaseSync } from 'node:sqlite'
import { type Event, isWebhookVerificationError } from '@payment-intents/node'
import { webhookRoute } from '@payment-intents/node/fastify'
import { insertRefused } from '../db/receivedDeliveries.ts'

/** `POST /webhooks`: passes verified events on, and records and refuses other requests. */
export function receiveWebhooks(deps: {
  readonly db: DatabaseSync
  readonly webhookSecret: string
  onEvent(event: Event): void
  log(sentence: string): void
}) {
  return webhookRoute('/webhooks', deps.onEvent, {
    secret: deps.webhookSecret,
    onError(error) {
      if (isWebhookVerificationError(error)) {
        deps.log(`A webhook was refused: ${error.message}`)
        insertRefused(deps.db, error.code, new Date())
      } else {
        deps.log(`A webhook was not handled and comes again: ${(error as Error).stack}`)
      }
    },
  })
}
