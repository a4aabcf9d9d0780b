import type { Product } from '../products.ts'

export type PlacedOrder = { readonly id: string; readonly clientSecret: string }

/**
 * Orders one product from the shop's backend.
 *
 * @throws Error when the backend is unreachable or refuses; then there is no order
 */
export async function placeOrder(product: Product, lane: 'sdk' | 'manual'): Promise<PlacedOrder> {
  const response = await fetch('/api/orders', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ product_id: product.id, lane }),
  })
  if (!response.ok) throw new Error(`The shop answered ${response.status} to the order.`)
  const { order_id, client_secret } = await response.json()
  return { id: order_id, clientSecret: client_secret }
}
