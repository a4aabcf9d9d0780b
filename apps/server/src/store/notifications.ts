import type { Db } from './connection/connect.ts'
import { startListener } from './connection/listener.ts'
import { readVersions } from './payment-intents/readVersions.ts'
import { findGoneEndpoints } from './webhook-endpoints/goneEndpoints.ts'

/** What this process and others announce by NOTIFY. All of it is a hint: the database has the truth. */
export type Notifications = {
  /**
   * Calls back when an intent may have changed; the caller reads it again.
   *
   * @param awaited the intents of which the listener wants to know
   */
  onIntentChanged(listener: (intentId: string) => void, awaited: () => Iterable<string>): void
  /** Calls back when an API key or its merchant has changed. */
  onKeysChanged(listener: () => void): void
  /** Calls back when a delivery is due. */
  onWebhookDue(listener: () => void): void
  /**
   * Calls back when an endpoint gets nothing more.
   *
   * @param used the endpoints of which the listener wants to know
   */
  onEndpointGone(listener: (endpointId: string) => void, used: () => readonly string[]): void
  /** Calls back when an authorization waits to be submitted on a chain. */
  onAuthorizationStored(listener: (chainId: number) => void): void
  stop(): Promise<void>
}

/** Where no notification arrives, changes are looked for so often: they are seen within a second. */
const lookEveryMs = 750

/**
 * Listens for all waiters on one connection. While it does not, what they wait for is read, in one statement for all
 * intents and one for all endpoints, and nothing while nobody waits. Deliveries that are due and
 * authorizations are polled for anyway.
 */
export async function listenForNotifications(
  db: Db,
  onError: (error: Error) => void,
): Promise<Notifications> {
  const due: (() => void)[] = []
  const keys: (() => void)[] = []
  const stored: ((chainId: number) => void)[] = []
  const gone: { listener(endpointId: string): void; used(): readonly string[] }[] = []
  const intents: { listener(intentId: string): void; awaited(): Iterable<string> }[] = []
  /** As they were read last, of the intents that were awaited then; null when one was gone. */
  let versions = new Map<string, number | null>()
  let looking: Promise<void> | null = null

  const wake = (intentId: string) => {
    for (const one of intents) one.listener(intentId)
  }

  const listener = await startListener(
    db,
    [
      ...['payment_intent_changed', 'keys_changed', 'webhook_due', 'webhook_endpoint_gone'],
      'authorization_stored',
    ],
    {
      notification(channel, payload) {
        if (channel === 'webhook_due') for (const notify of due) notify()
        else if (channel === 'keys_changed') for (const notify of keys) notify()
        else if (channel === 'authorization_stored') for (const one of stored) one(Number(payload))
        else if (channel === 'webhook_endpoint_gone') for (const one of gone) one.listener(payload)
        else wake(payload)
      },
      error: onError,
    },
  )

  const allAwaited = () => [...new Set(intents.flatMap((one) => [...one.awaited()]))]

  async function look(): Promise<void> {
    const awaited = allAwaited()
    const found =
      awaited.length > 0 ? await readVersions(db.pool, awaited) : new Map<string, number>()
    const before = versions
    versions = new Map(awaited.map((id) => [id, found.get(id) ?? null]))
    // One that nobody awaited last time may have changed before it was read now.
    for (const [id, version] of versions) if (before.get(id) !== version) wake(id)
    const used = [...new Set(gone.flatMap((one) => one.used()))]
    if (used.length === 0) return
    for (const id of await findGoneEndpoints(db.pool, used)) {
      for (const one of gone) one.listener(id)
    }
  }

  // What was notified before this connection listened is looked for once more.
  let lookedOn = listener.connection()
  const timer = setInterval(() => {
    const connection = listener.connection()
    if (looking || (connection !== null && connection === lookedOn)) return
    looking = look()
      .then(() => {
        lookedOn = connection
      }, onError)
      .finally(() => {
        looking = null
      })
  }, lookEveryMs)

  return {
    onIntentChanged: (listener, awaited) => void intents.push({ listener, awaited }),
    onKeysChanged: (notify) => void keys.push(notify),
    onWebhookDue: (notify) => void due.push(notify),
    onAuthorizationStored: (listener) => void stored.push(listener),
    onEndpointGone: (listener, used) => void gone.push({ listener, used }),
    async stop() {
      clearInterval(timer)
      for (const intentId of allAwaited()) wake(intentId)
      await looking
      await listener.stop()
    },
  }
}
