import { queryOptions } from '@tanstack/react-query'
import { read } from '../../api/api.ts'

export const paymentQuery = (id: string) =>
  queryOptions({
    queryKey: ['payments', 'one', id],
    queryFn: ({ signal }) => read('/v1/payment_intents/{id}', { id }, signal),
  })

export const timelineQuery = (id: string) =>
  queryOptions({
    queryKey: ['timeline', id],
    queryFn: ({ signal }) => read('/v1/payment_intents/{id}/timeline', { id }, signal),
  })
