import type { DescribedOrder } from '../http/describeOrder.ts'

export type PlacedOrder = {
  readonly id: string
  readonly clientSecret: string
  /** Read from the shop's backend, once the order is found again. */
  readonly status?: OrderStatus
}

type OrderStatus = 'requires_payment' | 'pending_confirmations' | 'succeeded'

const key = 'order'

/** Lets this tab find its order again after a reload. `public/plain.js` does the same. */
export function keepOrder(order: PlacedOrder): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(order))
  } catch {
    // Storage may be denied; the order can still be paid.
  }
}

/**
 * Calls back with the last order of this tab and with its later states, until it is paid: the wallet may send after a
 * reload. An order that has already ended is not reported.
 * @returns stops it
 */
export function watchOrder(onChange: (order: PlacedOrder) => void): () => void {
  let timer: ReturnType<typeof setTimeout>
  let isFirst = true
  let isStopped = false
  void read()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }

  async function read(): Promise<void> {
    const order = await findOrder()
    if (isStopped || !order || (isFirst && order.status === 'succeeded')) return
    isFirst = false
    onChange(order)
    if (order.status !== 'succeeded') timer = setTimeout(read, 1000)
  }
}

async function findOrder(): Promise<PlacedOrder | undefined> {
  try {
    const stored = sessionStorage.getItem(key) ?? ''
    const order: PlacedOrder = JSON.parse(stored)
    const { status }: DescribedOrder = await (await fetch(`/api/orders/${order.id}`)).json()
    // Another order was placed meanwhile.
    if (sessionStorage.getItem(key) !== stored) return findOrder()
    const isOpen = status === 'requires_payment' || status === 'pending_confirmations'
    if (isOpen || status === 'succeeded') return { ...order, status }
  } catch {
    // Nothing is stored, or the shop does not respond.
  }
}
