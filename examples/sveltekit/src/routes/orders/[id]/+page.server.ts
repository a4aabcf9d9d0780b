import { error } from '@sveltejs/kit'
import { findOrder } from '#lib/server/orders.ts'
import { prices } from '#lib/server/prices.ts'
import type { PageServerLoad } from './$types'

/** The thank-you page shows the order's status, which the webhook has set. */
export const load: PageServerLoad = ({ params }) => {
  const order = findOrder(params.id)
  if (!order) error(404)
  const { item, paid_at } = order
  return { item, price: prices.get(item), paid: paid_at !== null }
}
