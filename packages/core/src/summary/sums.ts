/** Sums of payments and refunds, in units. */
export type Amounts = {
  readonly received: bigint
  readonly refunded: bigint
  readonly payments: number
  readonly refunds: number
}

/** Payment intents that were created in a period, and how many of them were opened and paid. */
type Cohort = { readonly created: number; readonly opened: number; readonly paid: number }

export type Sums = Amounts & Cohort

export const noSums: Sums = {
  ...{ received: 0n, refunded: 0n, payments: 0, refunds: 0 },
  ...{ created: 0, opened: 0, paid: 0 },
}

export function addSums(a: Sums, b: Partial<Sums>): Sums {
  return {
    received: a.received + (b.received ?? 0n),
    refunded: a.refunded + (b.refunded ?? 0n),
    payments: a.payments + (b.payments ?? 0),
    refunds: a.refunds + (b.refunds ?? 0),
    created: a.created + (b.created ?? 0),
    opened: a.opened + (b.opened ?? 0),
    paid: a.paid + (b.paid ?? 0),
  }
}
