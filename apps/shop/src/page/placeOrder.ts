import type { Chain } from '../networks.ts'
import type { Product } from '../products.ts'
import { keepOrder, type PlacedOrder } from './storedOrder.ts'

/**
 * Orders one product from the shop's backend, to be paid on this chain or on the shop's usual one.
 *
 * @throws Error when the backend is unreachable or refuses; then there is no order
 */
export async function placeOrder(
  product: Product,
  lane: 'sdk' | 'manual',
  chain: Chain | undefined,
): Promise<PlacedOrder> {
  const response = await fetch('/api/orders', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ product_id: product.id, lane, chain }),
  })
  if (!response.ok) throw new Error(`The shop responded to the order with ${response.status}.`)
  const { order_id, client_secret } = await response.json()
  const order = { id: order_id, clientSecret: client_secret }
  keepOrder(order)
  return order
}
