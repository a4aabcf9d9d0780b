import type { EventType } from '@payment-intents/contract'
import type { Intent } from './intent.ts'
import { presentInEvent } from './present.ts'
import { type Fact, type Refusal, transition } from './transition.ts'

/** An event of an intent, with the intent after the fact that caused it. */
export type IntentEvent = {
  readonly type: EventType
  readonly sequence: number
  /** JSON text of `data.object`. */
  readonly object: string
}

export type Applied = {
  /** The intent before the facts. */
  readonly before: Intent
  /** The intent after all facts. */
  readonly intent: Intent
  readonly changed: boolean
  readonly events: readonly IntentEvent[]
  /** Why the merchant's request was refused; null if it was not. */
  readonly refused: Refusal | null
}

/**
 * Applies facts to an intent in order and stops at the first refused fact. Consecutive facts that cause the same event,
 * such as the parts of a payment, cause it once: it shows the intent after the last of them.
 */
export function applyFacts(intent: Intent, facts: readonly Fact[]): Applied {
  let current = intent
  const changes: { type: EventType; after: Intent }[] = []
  for (const fact of facts) {
    const outcome = transition(current, fact)
    if (outcome.type === 'refused') return result(outcome)
    if (outcome.type === 'unchanged') continue
    current = outcome.intent
    for (const type of outcome.events) {
      if (changes.at(-1)?.type === type) changes.pop()
      changes.push({ type, after: current })
    }
  }
  return result(null)

  function result(refused: Refusal | null): Applied {
    const { sequence } = intent
    const changed = current !== intent
    return {
      before: intent,
      intent: changed ? { ...current, sequence: sequence + changes.length } : intent,
      changed,
      events: changes.map(({ type, after }, index) => {
        return { type, sequence: sequence + index + 1, object: presentInEvent(after) }
      }),
      refused,
    }
  }
}

/** The events of one change; `intent.sequence` already includes them. */
export function intentEvents(intent: Intent, types: readonly EventType[]): IntentEvent[] {
  const object = types.length > 0 ? presentInEvent(intent) : ''
  const first = intent.sequence - types.length + 1
  return types.map((type, index) => ({ type, sequence: first + index, object }))
}
