import type { Db } from '@payment-intents/server/src/store/connection/connect.ts'
import { listenForNotifications } from '@payment-intents/server/src/store/notifications.ts'
import { createPoster } from '@payment-intents/server/src/webhooks/createPoster.ts'
import { deliverWebhooks } from '@payment-intents/server/src/webhooks/deliverWebhooks.ts'
import { createGuard } from '@payment-intents/server/src/webhooks/webhookGuard.ts'
import { serverKeys } from '@payment-intents/server/test/support/server/testServer.ts'
import { patience } from '../../../support/patience.ts'

/**
 * The delivery of webhooks by one server process, without the rest of the server.
 *
 * @param report called with each error of the database
 * @returns a function that stops it
 */
export async function startDelivering(
  db: Db,
  report: (error: unknown) => void = () => {},
): Promise<() => Promise<void>> {
  const changes = await listenForNotifications(db, () => {})
  const log = { error() {}, warn() {}, info() {}, debug() {} }
  const deliveries = deliverWebhooks({
    db,
    database: { report },
    // None of the tries that hang ends, however long a test takes.
    poster: createPoster(createGuard({ allowPrivate: true }), { timeoutMs: 5 * patience }),
    serverKeys,
    log: log as never,
    ...{ random: () => 0, now: Date.now },
    concurrency: 512,
  })
  changes.onWebhookDue(deliveries.wake)
  changes.onEndpointDisabled(deliveries.drop, deliveries.endpoints)
  return async () => {
    await deliveries.stop()
    await changes.stop()
  }
}
