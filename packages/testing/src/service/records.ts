import { type Address, type Event, windows } from '@payment-intents/contract'
import {
  applyFacts,
  type Fact,
  type Intent,
  type IntentEvent,
  type Refusal,
} from '@payment-intents/rules'
import { createIds } from './ids.ts'
import type { Merchant } from './merchant.ts'
import type { LedgerTransfer } from './present.ts'

export type Acted =
  | { type: 'done'; intent: Intent }
  | { type: 'not_found' }
  | ({ type: 'refused' } & Refusal)

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

  function write({ type, sequence, object }: IntentEvent): void {
    const created_at = new Date(clock.now).toISOString()
    const data = { object: JSON.parse(object) }
    const { mode } = merchant
    events.push({ id: ids.next('evt', clock.now), type, created_at, mode, sequence, data } as Event)
  }

  /** Returns the state right after the fact, before the chain is read again. */
  function apply(intentId: string, fact: Fact): Acted {
    const before = intents.get(intentId)
    if (!before) return { type: 'not_found' }
    const { intent, events, refused } = applyFacts(before, [fact])
    if (refused !== null) return { type: 'refused', ...refused }
    intents.set(intentId, intent)
    for (const event of events) write(event)
    return { type: 'done', intent }
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
