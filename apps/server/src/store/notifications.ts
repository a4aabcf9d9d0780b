import type { Db } from './connection/connect.ts'
import { startListener } from './connection/listener.ts'
import { eventsWritten } from './events/announceEvents.ts'
import { readNewestEvents } from './events/readNewestEvents.ts'
import { readVersions } from './payment-intents/readVersions.ts'
import { findInactiveEndpoints } from './webhook-endpoints/deletedEndpoints.ts'

/**
 * Changes that this process and others announce by NOTIFY. A notification is only a hint: its listener has to read the
 * database.
 */
export type Notifications = {
  /**
   * Calls back when an intent may have changed.
   * @param awaited the intents that the listener waits for
   */
  onIntentChanged(listener: (intentId: string) => void, awaited: () => Iterable<string>): void
  /**
   * Calls back when events of a merchant and mode may have been written, with the name from `announceEvents.ts`.
   * @param awaited the names that the listener waits for
   */
  onEventsWritten(listener: (name: string) => void, awaited: () => Iterable<string>): void
  /** Calls back when an API key or its merchant has changed. */
  onKeysChanged(listener: () => void): void
  /** Calls the listeners of `onKeysChanged` at once: the next request may arrive before the notification. */
  keysChanged(): void
  /** Calls back when a delivery may be due. */
  onWebhookDue(listener: () => void): void
  /**
   * Calls back when an endpoint receives nothing any longer.
   * @param used the endpoints that the listener uses
   */
  onEndpointDisabled(listener: (endpointId: string) => void, used: () => readonly string[]): void
  /** Calls back when an authorization waits to be submitted on a chain. */
  onAuthorizationStored(listener: (chainId: number) => void): void
  stop(): Promise<void>
}

/** The interval of polls while LISTEN does not work, so that changes are found within a second. */
const pollEveryMs = 750

/**
 * Listens for all waiters on a single connection. While LISTEN does not work, polls the awaited rows with a statement
 * each for all intents, all events and all endpoints. While nobody waits, sends no statement. Other code polls due
 * deliveries and authorizations anyway.
 */
export async function listenForNotifications(
  db: Db,
  onError: (error: Error) => void,
): Promise<Notifications> {
  const webhookListeners: (() => void)[] = []
  const keyListeners: (() => void)[] = []
  const authorizationListeners: ((chainId: number) => void)[] = []
  const endpointListeners: { listener(endpointId: string): void; used(): readonly string[] }[] = []
  const intents = createWaiters((ids) => readVersions(db.pool, ids))
  const events = createWaiters((ids) => readNewestEvents(db.pool, ids))
  let polling: Promise<void> | null = null
  const keysChanged = () => {
    for (const notify of keyListeners) notify()
  }

  const listener = await startListener(
    db,
    [
      ...['payment_intent_changed', 'keys_changed', 'webhook_due', 'webhook_endpoint_disabled'],
      ...['authorization_stored', eventsWritten],
    ],
    {
      notification(channel, payload) {
        if (channel === 'webhook_due') for (const notify of webhookListeners) notify()
        else if (channel === 'keys_changed') keysChanged()
        else if (channel === 'authorization_stored')
          for (const item of authorizationListeners) item(Number(payload))
        else if (channel === 'webhook_endpoint_disabled')
          for (const item of endpointListeners) item.listener(payload)
        else if (channel === eventsWritten) events.wake(payload)
        else if (channel === 'payment_intent_changed') intents.wake(payload)
      },
      error: onError,
    },
  )

  async function pollAll(): Promise<void> {
    await intents.poll()
    await events.poll()
    const used = [...new Set(endpointListeners.flatMap((item) => item.used()))]
    if (used.length === 0) return
    for (const id of await findInactiveEndpoints(db.pool, used)) {
      for (const item of endpointListeners) item.listener(id)
    }
  }

  // Without LISTEN, poll each time. After a reconnect, poll once for the changes that were missed.
  let polledConnection = listener.connection()
  const timer = setInterval(() => {
    const connection = listener.connection()
    if (polling || (connection !== null && connection === polledConnection)) return
    polling = pollAll()
      .then(() => {
        polledConnection = connection
      }, onError)
      .finally(() => {
        polling = null
      })
  }, pollEveryMs)

  return {
    onIntentChanged: intents.add,
    onEventsWritten: events.add,
    onKeysChanged: (notify) => void keyListeners.push(notify),
    keysChanged,
    onWebhookDue: (notify) => void webhookListeners.push(notify),
    onAuthorizationStored: (listener) => void authorizationListeners.push(listener),
    onEndpointDisabled: (listener, used) => void endpointListeners.push({ listener, used }),
    async stop() {
      clearInterval(timer)
      intents.wakeAll()
      events.wakeAll()
      await polling
      await listener.stop()
    },
  }
}

/**
 * Creates waiters for changes of one kind.
 * @param readMarkers reads numbers that grow with each change, by id; a deleted id has none
 */
function createWaiters(
  readMarkers: (ids: readonly string[]) => Promise<ReadonlyMap<string, number>>,
) {
  const waiters: { listener(id: string): void; awaited(): Iterable<string> }[] = []
  /** The markers of the last poll; null: deleted. */
  let markers = new Map<string, number | null>()

  const wake = (id: string) => {
    for (const waiter of waiters) waiter.listener(id)
  }
  const allAwaited = () => [...new Set(waiters.flatMap((waiter) => [...waiter.awaited()]))]

  return {
    add: (listener: (id: string) => void, awaited: () => Iterable<string>) =>
      void waiters.push({ listener, awaited }),
    wake,
    wakeAll() {
      for (const id of allAwaited()) wake(id)
    },
    async poll(): Promise<void> {
      const awaited = allAwaited()
      const current = awaited.length > 0 ? await readMarkers(awaited) : new Map<string, number>()
      const before = markers
      markers = new Map(awaited.map((id) => [id, current.get(id) ?? null]))
      // An id that is new in this poll also wakes: it has no marker to compare with.
      for (const [id, marker] of markers) if (before.get(id) !== marker) wake(id)
    },
  }
}
