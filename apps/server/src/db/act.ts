import type { Mode } from '@payment-intents/contract'
import type { Intent } from '../intent/intent.ts'
import { received } from '../intent/intent.ts'
import { type Fact, transition } from '../intent/transition.ts'
import { holdReadings } from './chainCursors.ts'
import { type Db, type Queryable, transaction } from './connect.ts'
import { insertEvents } from './events.ts'
import { lockIntents, saveProgress } from './paymentIntents.ts'
import { assignRow, lockTransfer } from './transfers.ts'
import { watchWallet } from './watchedWallets.ts'

/** The merchant who acts, in the mode of their key. */
export type Actor = { readonly merchantId: string; readonly mode: Mode }

export type Acted =
  | { type: 'done'; intent: Intent }
  /** There is none, or it is another merchant's or mode's. */
  | { type: 'not_found' }
  | { type: 'refused'; message: string }

/** Ends an intent that nothing was received for. @param now Unix milliseconds */
export function cancelIntent(db: Db, who: Actor, id: string, now: number): Promise<Acted> {
  return transaction(db, (client) => act(client, who, id, { type: 'cancel' }, now))
}

/** Settles for what was received. @param now Unix milliseconds */
export function acceptIntent(db: Db, who: Actor, id: string, now: number): Promise<Acted> {
  return transaction(db, (client) => act(client, who, id, { type: 'accept' }, now))
}

/**
 * Credits an unmatched transfer to an intent of the same merchant, mode and chain, as if it had carried the
 * reference. Assigning it to the same intent again changes nothing.
 *
 * @param now Unix milliseconds
 */
export function assignTransfer(
  db: Db,
  who: Actor,
  transferId: string,
  intentId: string,
  now: number,
): Promise<Acted> {
  return transaction(db, async (client) => {
    await holdReadings(client, transferId)
    // Intents before transfers, as the follower locks them.
    const intent = await lockOwn(client, who, intentId)
    const transfer = intent && (await lockTransfer(client, who, transferId))
    if (!transfer) return { type: 'not_found' }
    if (transfer.intentId === intentId) return { type: 'done', intent }
    if (transfer.intentId) {
      return { type: 'refused', message: `It is credited to ${transfer.intentId} already.` }
    }
    if (transfer.orphaned) {
      return { type: 'refused', message: 'The chain has taken this transfer back.' }
    }
    if (transfer.chainId !== intent.chainId || transfer.token !== intent.token) {
      return { type: 'refused', message: 'It came in another token, or on another chain.' }
    }
    await assignRow(client, transferId, intentId)
    return act(client, who, intentId, { type: 'transfer_seen', transfer }, now, intent)
  })
}

async function act(
  client: Queryable,
  who: Actor,
  id: string,
  fact: Fact,
  now: number,
  known?: Intent,
): Promise<Acted> {
  const intent = known ?? (await lockOwn(client, who, id))
  if (!intent) return { type: 'not_found' }
  const outcome = transition(intent, fact)
  switch (outcome.type) {
    case 'refused':
      return outcome
    case 'unchanged':
      return { type: 'done', intent }
    case 'changed':
      await insertEvents(client, outcome.intent, outcome.events, now)
      await saveProgress(client, outcome.intent, received(outcome.intent))
      if (outcome.intent.status === 'pending_confirmations') {
        // Its late window may be over, and a chain that nobody waits on is not read: it would never be settled.
        await watchWallet(client, { ...outcome.intent, since: now, until: Math.floor(now / 1000) })
      }
      return { type: 'done', intent: outcome.intent }
  }
}

async function lockOwn(client: Queryable, who: Actor, id: string): Promise<Intent | null> {
  const [intent] = await lockIntents(client, [id])
  return intent?.merchantId === who.merchantId && intent.mode === who.mode ? intent : null
}
