import { listenForChanges } from 'server/src/db/changes.ts'
import type { Db } from 'server/src/db/connect.ts'
import { type Deliveries, deliverWebhooks } from 'server/src/webhook/deliver.ts'
import { createPoster } from 'server/src/webhook/post.ts'
import { createGuard } from 'server/src/webhookGuard.ts'

/**
 * What one server process delivers, without the rest of it.
 *
 * @param warned called with what is logged as a warning
 * @returns a function that stops it
 */
export async function startDelivering(
  db: Db,
  warned: (message: string) => void = () => {},
): Promise<() => Promise<void>> {
  let deliveries: Deliveries | undefined
  const changes = await listenForChanges(db, () => {}, {
    onWebhookDue: () => deliveries?.wake(),
    onEndpointGone: (endpointId) => deliveries?.drop(endpointId),
  })
  const log = {
    warn: (_fields: object, message: string) => warned(message),
    ...{ error() {}, info() {} },
  }
  deliveries = deliverWebhooks({
    db,
    database: { report() {} },
    poster: createPoster(createGuard({ allowPrivate: true })),
    serverSecret: Buffer.alloc(32, 7),
    log: log as never,
    random: () => 0,
    concurrency: 512,
  })
  return async () => {
    await deliveries?.stop()
    await changes.stop()
  }
}
