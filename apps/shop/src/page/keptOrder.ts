import type { DescribedOrder } from '../http/describeOrder.ts'

export type PlacedOrder = {
  readonly id: string
  readonly clientSecret: string
  /** Whether its payment was being confirmed when it was found. */
  readonly isSeen?: boolean
}

const key = 'order'

/** Has this tab find its order again after a reload. `public/plain.js` does the same. */
export function keepOrder(order: PlacedOrder): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(order))
  } catch {
    // Storage may be denied; the order can be paid all the same.
  }
}

/** The order that this tab has placed last, unless it is over. */
export async function findOrder(): Promise<PlacedOrder | undefined> {
  try {
    const order: PlacedOrder = JSON.parse(sessionStorage.getItem(key) ?? '')
    const { status }: DescribedOrder = await (await fetch(`/api/orders/${order.id}`)).json()
    if (status === 'requires_payment') return order
    if (status === 'pending_confirmations') return { ...order, isSeen: true }
  } catch {
    // Nothing is stored, or the shop does not answer.
  }
}
