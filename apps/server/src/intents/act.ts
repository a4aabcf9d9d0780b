import { applyFacts, type Fact, type Intent, type Refusal } from '@payment-intents/rules'
import { isInFlight } from '../db/authorizations/authorizations.ts'
import { holdReadings } from '../db/chains/cursors.ts'
import { watchWallet } from '../db/chains/watchedWallets.ts'
import { type Db, type Queryable, transaction } from '../db/connect.ts'
import type { NewEvent } from '../db/events/events.ts'
import { lockIntents } from '../db/intents/paymentIntents.ts'
import type { Actor } from '../db/merchants/actor.ts'
import { assignRow, findCreditedTo, lockTransfer } from '../db/transfers/transfers.ts'
import { writeChanges } from './changeIntents.ts'

export type Acted =
  | { type: 'done'; intent: Intent; events: readonly NewEvent[] }
  /** There is none, or it is another merchant's or mode's. */
  | { type: 'not_found' }
  | ({ type: 'refused' } & Refusal)

/** The time of a chain, Unix milliseconds. */
type Clock = (chainId: number) => { readonly now: number }

/** Ends an intent that nothing was received for. */
export function cancelIntent(db: Db, who: Actor, id: string, clock: Clock): Promise<Acted> {
  return transaction(db, async (client) => {
    const [intent] = await lockIntents(client, [id])
    if (!intent || !isOwn(intent, who)) return { type: 'not_found' }
    const fact = { type: 'cancel', isInFlight: await isInFlight(client, id) } as const
    return apply(client, intent, fact, clock)
  })
}

/** Settles for what was received. */
export function acceptIntent(db: Db, who: Actor, id: string, clock: Clock): Promise<Acted> {
  return transaction(db, async (client) => {
    const [intent] = await lockIntents(client, [id])
    if (!intent || !isOwn(intent, who)) return { type: 'not_found' }
    return apply(client, intent, { type: 'accept' }, clock)
  })
}

/**
 * Credits an unmatched transfer to an intent of the same merchant, mode, chain and wallet, or moves one there that no
 * state of its intent rests on. Assigning it to the same intent again changes nothing.
 */
export function assignTransfer(
  db: Db,
  who: Actor,
  transferId: string,
  intentId: string,
  clock: Clock,
): Promise<Acted> {
  return transaction(db, async (client) => {
    await holdReadings(client, transferId)
    // Intents before transfers, as the follower locks them. No reading credits it meanwhile.
    const creditedTo = await findCreditedTo(client, transferId)
    const locked = await lockIntents(client, [intentId, ...(creditedTo ? [creditedTo] : [])])
    const intent = locked.find((one) => one.id === intentId && isOwn(one, who))
    const transfer = intent && (await lockTransfer(client, who, transferId))
    if (!transfer) return { type: 'not_found' }
    if (transfer.intentId === intentId) return { type: 'done', intent, events: [] }
    if (transfer.orphaned) {
      return { type: 'refused', message: 'The chain has taken this transfer back.' }
    }
    if (transfer.chainId !== intent.chainId || transfer.token !== intent.token) {
      return { type: 'refused', message: 'It came in another token, or on another chain.' }
    }
    let before: readonly NewEvent[] = []
    if (transfer.intentId !== null) {
      const source = locked.find((one) => one.id === transfer.intentId && isOwn(one, who))
      // Assigned by another request between two statements of this one.
      if (!source) return { type: 'refused', message: 'It was assigned meanwhile. Read it again.' }
      if (source.wallet !== intent.wallet) {
        return { type: 'refused', message: 'A credited transfer moves within one wallet only.' }
      }
      const moved = await apply(client, source, { type: 'transfer_moved', transferId }, clock)
      if (moved.type === 'refused') return moved
      if (moved.type === 'done') before = moved.events
    }
    await assignRow(client, transferId, intentId)
    const credited = { ...transfer, boundBy: 'assignment' } as const
    const done = await apply(client, intent, { type: 'transfer_seen', transfer: credited }, clock)
    return done.type === 'done' ? { ...done, events: [...before, ...done.events] } : done
  })
}

async function apply(client: Queryable, intent: Intent, fact: Fact, clock: Clock): Promise<Acted> {
  const { now } = clock(intent.chainId)
  const applied = applyFacts(intent, [fact])
  if (applied.refused !== null) return { type: 'refused', ...applied.refused }
  const events = await writeChanges(client, [applied], now)
  const { changed, intent: next } = applied
  if (changed && next.status === 'pending_confirmations') {
    // Its late window may be over, and a chain on which no intent waits is not read: it would never be settled.
    await watchWallet(client, { ...next, since: now, until: Math.floor(now / 1000) })
  }
  return { type: 'done', intent: next, events }
}

function isOwn(intent: Intent, who: Actor): boolean {
  return intent.merchantId === who.merchantId && intent.mode === who.mode
}
