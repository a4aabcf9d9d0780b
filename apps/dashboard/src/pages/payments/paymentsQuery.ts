import { read } from '../../api/api.ts'
import { rowsQuery } from '../../parts/useRows.ts'
import type { Filters } from './filters.ts'

/** The payments that match the filters, newest first. */
export const paymentsQuery = (filters: Omit<Filters, 'q'>) =>
  rowsQuery(['payments', 'list', filters], (place, signal) =>
    read('/v1/payment_intents', { ...filters, ...place }, signal),
  )
