export type PeriodName = 'today' | 'week' | 'month' | 'year'

export type Period = {
  readonly from: string
  readonly to: string
  readonly interval: 'hour' | 'day'
}

export const periodNames: readonly PeriodName[] = ['today', 'week', 'month', 'year']

const days: Readonly<Record<PeriodName, number>> = { today: 1, week: 7, month: 30, year: 365 }

/** Returns whole days of the reader's time zone that end with today. @param now Unix milliseconds */
export function periodOf(name: PeriodName, now: number): Period {
  const today = new Date(now)
  const begin = (offset: number) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() + offset).toISOString()
  return { from: begin(1 - days[name]), to: begin(1), interval: name === 'today' ? 'hour' : 'day' }
}

export function readPeriod(search: Record<string, unknown>): { readonly period?: PeriodName } {
  const period = periodNames.find((name) => name === search.period)
  return period ? { period } : {}
}
