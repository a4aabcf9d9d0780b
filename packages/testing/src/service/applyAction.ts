import type { Decision, Intent, Locked } from '@payment-intents/core'
import type { RecordedEvent, Records } from './store/records.ts'

type ActionOutcome =
  | { readonly type: 'done'; readonly intent: Intent; readonly events: readonly RecordedEvent[] }
  | Exclude<Decision, { type: 'done' }>

/** Saves the result of a merchant's action on an intent, or on a transfer and the intent that it is credited to. */
export function applyAction(
  records: Records,
  {
    intent: id,
    transfer: transferId,
    isInFlight = false,
  }: {
    readonly intent: string
    readonly transfer?: string
    readonly isInFlight?: boolean
  },
  decide: (locked: Locked) => Decision,
  isRefunded: (transferId: string) => boolean,
): ActionOutcome {
  const { intents, transfers } = records
  const stored = transfers.get(transferId ?? '')
  const transfer = stored ? { ...stored, isRefunded: isRefunded(stored.id) } : null
  const locked = [id, transfer?.intentId ?? id].flatMap((intentId) => {
    const intent = intents.get(intentId)
    return intent ? [[intentId, intent] as const] : []
  })
  const decision = decide({ intents: new Map(locked), transfer, isInFlight })
  if (decision.type !== 'done') return decision
  if (decision.assign && stored) {
    const { intentId } = decision.assign
    const credited = { intentId, boundBy: 'assignment', reason: null, suggestions: [] } as const
    transfers.set(stored.id, { ...stored, ...credited })
  }
  const events = decision.changes.flatMap((applied) => records.save(applied))
  return { type: 'done', intent: decision.intent, events }
}
