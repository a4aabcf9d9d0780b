import { error, json } from '@sveltejs/kit'
import { findOrder } from '#lib/server/orders.ts'
import { startPayment } from '#lib/server/startPayment.ts'
import type { RequestHandler } from './$types'

export const POST: RequestHandler = async ({ params }) => {
  const order = findOrder(params.id)
  if (!order) error(404)
  if (order.paid_at) error(409)
  return json({ client_secret: await startPayment(order) })
}
