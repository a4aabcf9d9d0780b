import { queryOptions } from '@tanstack/react-query'
import { read } from '../../api/api.ts'
import type { Period } from './periods.ts'

export function summaryQuery(period: Period) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  // Hours need no time zone.
  const zone = period.interval === 'day' ? { time_zone: timeZone } : {}
  return queryOptions({
    queryKey: ['payments', 'summary', period, zone],
    queryFn: ({ signal }) => read('/v1/summary', { ...period, ...zone }, signal),
  })
}
