import type { Order, Transition } from '../db/orders.ts'
import type { OrderRefund } from '../db/refunds.ts'

/** Response of `GET /api/orders/:id`: everything stored about an order except its client secret. */
export type DescribedOrder = Omit<Order, 'client_secret'> & {
  readonly transitions: readonly Transition[]
  readonly refunds: readonly OrderRefund[]
  /** Whether it is paid, and the shop can sign refunds. */
  readonly can_refund: boolean
}

export function describeOrder(
  order: Order,
  rest: Pick<DescribedOrder, 'transitions' | 'refunds'> & { readonly hasSigner: boolean },
): DescribedOrder {
  const { client_secret: _, ...described } = order
  const { transitions, refunds, hasSigner } = rest
  const can_refund = hasSigner && order.status === 'succeeded'
  return { ...described, transitions, refunds, can_refund }
}
