import type { Order, Transition } from '../db/orders.ts'

/** Answer of `GET /api/orders/:id`: everything stored about an order except its client secret. */
export type DescribedOrder = Omit<Order, 'client_secret'> & {
  readonly transitions: readonly Transition[]
}

export function describeOrder(order: Order, transitions: readonly Transition[]): DescribedOrder {
  const { client_secret: _, ...described } = order
  return { ...described, transitions }
}
