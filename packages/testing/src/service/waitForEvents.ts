import { type Page, readEvents, type ServiceRequest, type StoredEvent } from '@payment-intents/core'
import type { KitService } from './createKitService.ts'
import { waitUntil } from './waitUntil.ts'

/** The requested events, once there are any or the wait ends. */
export async function waitForEvents(
  kit: KitService,
  request: ServiceRequest<'listEvents'>,
  signal: AbortSignal,
): Promise<Page<StoredEvent>> {
  const { events, clock } = kit.records
  const until = clock.now + (request.query.wait ?? 0) * 1_000
  for (;;) {
    const countBefore = events.length
    const page = await readEvents(kit, request)
    if (page.items.length > 0) return page
    const isDone = () => events.length > countBefore
    await waitUntil(kit.records, { isMet: isDone, seconds: (until - clock.now) / 1_000 }, signal)
    if (!isDone()) return page
  }
}
