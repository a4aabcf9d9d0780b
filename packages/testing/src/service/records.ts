import type { Address, Event, EventType } from '@payment-intents/contract'
import { windows } from '@payment-intents/contract'
import { type Fact, type Intent, transition } from '@payment-intents/rules'
import { createIds } from './ids.ts'
import type { Merchant } from './merchant.ts'
import { type LedgerTransfer, presentRetrieved } from './present.ts'

export type Acted =
  | { type: 'done'; intent: Intent }
  | { type: 'not_found' }
  | { type: 'refused'; message: string }

export type Records = ReturnType<typeof createRecords>

/** What the service has stored, and its clock. */
export function createRecords(merchant: Merchant, startsAt: number) {
  const ids = createIds()
  /** In order of creation. */
  const intents = new Map<string, Intent>()
  /** In the order they were received. */
  const transfers = new Map<string, LedgerTransfer>()
  /** The accounts that the checkout of each intent named. */
  const announced = new Map<string, Set<Address>>()
  const events: Event[] = []
  /** Unix milliseconds. */
  const clock = { now: startsAt }
  const seconds = () => Math.floor(clock.now / 1000)

  function write(type: EventType, sequence: number, object: Record<string, unknown>): void {
    const { mode } = merchant
    const created_at = new Date(clock.now).toISOString()
    const id = ids.next('evt', clock.now)
    events.push({ id, type, created_at, mode, sequence, data: { object } } as Event)
  }

  function apply(intentId: string, fact: Fact): Acted {
    const intent = intents.get(intentId)
    if (!intent) return { type: 'not_found' }
    const outcome = transition(intent, fact)
    if (outcome.type === 'refused') return outcome
    if (outcome.type === 'unchanged') return { type: 'done', intent }
    intents.set(intentId, outcome.intent)
    const first = outcome.intent.sequence - outcome.events.length + 1
    for (const [index, type] of outcome.events.entries()) {
      write(type, first + index, presentRetrieved(outcome.intent))
    }
    return { type: 'done', intent: outcome.intent }
  }

  /** The intents whose late window is open. */
  function waitedFor(): Intent[] {
    return [...intents.values()].filter(({ expiresAt }) => expiresAt + windows.late >= seconds())
  }

  return {
    ...{ merchant, ids, intents, transfers, announced, events, clock },
    ...{ seconds, write, apply, waitedFor },
  }
}
