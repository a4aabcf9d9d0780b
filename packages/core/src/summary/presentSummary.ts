import type { Mode, Summary } from '@payment-intents/contract'
import { safeNumber } from '../payment-intents/present.ts'
import type { StoredSummary, SummaryPeriod } from './store.ts'
import { type Amounts, addSums, noSums, type Sums } from './sums.ts'

/** @param hasSeries whether the response has the parts of the period */
export function presentSummary(
  { parts, groups, timesToPaid }: StoredSummary,
  { from, to, starts }: SummaryPeriod,
  { mode, hasSeries }: { mode: Mode; hasSeries: boolean },
): Summary {
  const totals = [...parts.values()].reduce(addSums, noSums)
  const series = starts.map((start, index) => {
    const sums = parts.get(index) ?? noSums
    return { ...presentPeriod(start, starts[index + 1] ?? to), ...presentSums(sums) }
  })
  return {
    ...presentPeriod(from, to),
    mode,
    totals: { ...presentSums(totals), median_seconds_to_paid: medianSeconds(timesToPaid) },
    by: groups.toSorted(byName).map(({ chain, boundBy, ...amounts }) => {
      return { chain, bound_by: boundBy, ...presentAmounts(amounts) }
    }),
    series: hasSeries ? series : null,
  }
}

/** The median in whole seconds; of an even number, the middle between the two; null of none. */
export function medianSeconds(times: readonly number[]): number | null {
  const sorted = times.toSorted((a, b) => a - b)
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.ceil(sorted.length / 2) - 1]
  return upper === undefined || lower === undefined ? null : Math.round((lower + upper) / 2 / 1_000)
}

/** Refunds are the last row of their chain. */
function byName(a: StoredSummary['groups'][number], b: StoredSummary['groups'][number]): number {
  const [keyA, keyB] = [a, b].map(({ chain, boundBy }) => `${chain} ${boundBy ?? '~'}`)
  return (keyA ?? '') < (keyB ?? '') ? -1 : 1
}

function presentPeriod(from: number, to: number) {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
}

function presentSums({ created, opened, paid, ...amounts }: Sums) {
  return {
    ...presentAmounts(amounts),
    ...{ created_count: created, opened_count: opened, paid_count: paid },
  }
}

function presentAmounts({ received, refunded, payments, refunds }: Amounts) {
  return {
    received_units: safeNumber(received),
    refunded_units: safeNumber(refunded),
    net_units: safeNumber(received - refunded),
    payments_count: payments,
    refunds_count: refunds,
  }
}
