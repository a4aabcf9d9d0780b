import {
  addSums,
  boundByOf,
  type Intent,
  noSums,
  received,
  type StoredSummary,
  type SummaryStore,
  type Sums,
} from '@payment-intents/core'
import type { Records } from './records.ts'

type Group = StoredSummary['groups'][number]

/** Adds up every payment, transfer and refund. */
export function createSummary({
  intents,
  refunds,
}: Pick<Records, 'intents' | 'refunds'>): SummaryStore {
  return {
    async retrieve(_actor, { from, to, starts }, newest) {
      const parts = new Map<number, Sums>()
      const groups = new Map<string, Group>()
      const isIn = (time: number | null): time is number =>
        time !== null && time >= from && time < to
      const add = (time: number | null, change: Partial<Sums>) => {
        if (!isIn(time)) return
        const part = starts.findLastIndex((start) => start <= time)
        parts.set(part, addSums(parts.get(part) ?? noSums, change))
      }
      const addTo = (groupKey: Pick<Group, 'chain' | 'boundBy'>, change: Partial<Sums>) => {
        const key = `${groupKey.chain} ${groupKey.boundBy}`
        groups.set(key, { ...groupKey, ...addSums({ ...noSums, ...groups.get(key) }, change) })
      }
      for (const intent of intents.values()) {
        const { createdAt, openedAt, succeededAt, chain } = intent
        const [opened, paid] = [Number(openedAt !== null), Number(succeededAt !== null)]
        add(createdAt, { created: 1, opened, paid })
        const payment = { received: received(intent), payments: 1 }
        add(succeededAt, payment)
        if (isIn(succeededAt)) addTo({ chain, boundBy: boundByOf(intent) }, payment)
      }
      for (const { succeededAt, chain, amount } of refunds.values()) {
        const refund = { refunded: amount, refunds: 1 }
        add(succeededAt, refund)
        if (isIn(succeededAt)) addTo({ chain, boundBy: null }, refund)
      }
      const paid = [...intents.values()].filter(({ succeededAt }) => isIn(succeededAt))
      const timesToPaid = paid.sort(byNewest).slice(0, newest).map(timeToPaid)
      return { parts, groups: [...groups.values()], timesToPaid }
    },
  }
}

function byNewest(a: Intent, b: Intent): number {
  return (b.succeededAt ?? 0) - (a.succeededAt ?? 0) || (a.id < b.id ? 1 : -1)
}

function timeToPaid({ createdAt, succeededAt }: Intent): number {
  return (succeededAt ?? createdAt) - createdAt
}
