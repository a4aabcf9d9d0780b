import type { ActionResult, Actor, Decision, Intent, Locked } from '@payment-intents/core'
import { clearAttention } from '../attention/attention.ts'
import { isInFlight } from '../authorizations/authorizations.ts'
import { lockOutPolls } from '../chains/cursors.ts'
import { watchTopic } from '../chains/watchedTopics.ts'
import { type Db, transaction } from '../connection/connect.ts'
import { updatePlacesOf } from '../payment-links/places.ts'
import { assignRow, findChainId, findCreditedTo, lockTransfer } from '../transfers/transfers.ts'
import { writeChanges } from './changeIntents.ts'
import { lockIntents } from './paymentIntents.ts'

/** The time of a chain, in Unix milliseconds. */
type Clock = (chainId: number) => { readonly now: number }

/** Locks an intent, and a transfer with the intent to which it is credited, and writes the decision. */
export function underLock(
  db: Db,
  clock: Clock,
  request: {
    readonly actor: Actor
    readonly ids: { readonly intent: string; readonly transfer?: string }
    readonly decide: (locked: Locked) => Decision
  },
): Promise<ActionResult> {
  const { actor, ids, decide } = request
  return transaction(db, async (client) => {
    const { intent: id, transfer: transferId } = ids
    let creditedTo: string | null = null
    const chainId = transferId === undefined ? null : await findChainId(client, transferId)
    if (transferId !== undefined && chainId !== null) {
      await lockOutPolls(client, chainId)
      // Lock intents before transfers, as the follower does. No poll credits the transfer meanwhile.
      creditedTo = await findCreditedTo(client, transferId)
    }
    const locked = await lockIntents(client, creditedTo ? [id, creditedTo] : [id])
    const intents = new Map<string, Intent>()
    for (const intent of locked) if (belongsTo(intent, actor)) intents.set(intent.id, intent)
    if (!intents.has(id)) return { type: 'not_found' }
    const transfer = transferId === undefined ? null : await lockTransfer(client, actor, transferId)
    const decision = decide({ intents, transfer, isInFlight: await isInFlight(client, id) })
    if (decision.type !== 'done') return decision
    if (decision.assign) {
      await assignRow(client, decision.assign.transferId, decision.assign.intentId)
      await clearAttention(client, [decision.assign.transferId])
    }
    const { now } = clock(decision.intent.chainId)
    const events = await writeChanges(client, decision.changes, now)
    await updatePlacesOf(
      client,
      locked.map((intent) => intent.id),
    )
    for (const { changed, intent } of decision.changes) {
      if (!changed || intent.status !== 'pending_confirmations') continue
      // The late window may be over, and a chain on which nobody waits is not read: the intent would never settle.
      const { chainId, wallet: topic } = intent
      await watchTopic(client, { chainId, topic, since: now, until: Math.floor(now / 1000) })
    }
    return { type: 'done', intent: decision.intent, events }
  })
}

function belongsTo(intent: Intent, { merchantId, mode }: Actor): boolean {
  return intent.merchantId === merchantId && intent.mode === mode
}
