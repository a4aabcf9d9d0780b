import { type Page, readEvents, type ServiceRequest, type StoredEvent } from '@payment-intents/core'
import { holdUntil } from './holdUntil.ts'
import type { KitService } from './service.ts'

/** The events that a list asks for, once there is one or its time is over. */
export async function readHeldEvents(
  kit: KitService,
  request: ServiceRequest<'listEvents'>,
  signal: AbortSignal,
): Promise<Page<StoredEvent>> {
  const { events, clock } = kit.records
  const until = clock.now + (request.query.wait ?? 0) * 1_000
  for (;;) {
    const seen = events.length
    const page = await readEvents(kit, request)
    if (page.items.length > 0) return page
    const isThere = () => events.length > seen
    await holdUntil(kit.records, { isThere, seconds: (until - clock.now) / 1_000 }, signal)
    if (!isThere()) return page
  }
}
