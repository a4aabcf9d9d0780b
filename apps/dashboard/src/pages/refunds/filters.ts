export const refundStatuses = [
  'requires_destination',
  'requires_confirmation',
  'requires_signature',
  'pending',
  'succeeded',
  'canceled',
] as const

export type RefundFilters = { readonly status?: (typeof refundStatuses)[number] }

export function readRefundFilters(search: Record<string, unknown>): RefundFilters {
  const status = refundStatuses.find((each) => each === search.status)
  return status ? { status } : {}
}
