import { limits } from '@payment-intents/contract'
import type { Handler } from '../service.ts'
import { presentSummary } from './presentSummary.ts'
import { summaryPeriod } from './summaryPeriod.ts'

export const retrieveSummary: Handler<'retrieveSummary'> = async ({ store }, { actor, query }) => {
  const period = summaryPeriod(query)
  const summary = await store.summary.retrieve(actor, period, limits.summaryMedian)
  const hasSeries = query.interval !== undefined
  return { body: JSON.stringify(presentSummary(summary, period, { mode: actor.mode, hasSeries })) }
}
