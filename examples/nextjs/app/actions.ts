'use server'

import { toUnits } from '@payment-intents/node'
import { redirect } from 'next/navigation'
import { createOrder, findOrder } from '../lib/orders'
import { prices } from '../lib/prices'
import { startPayment } from '../lib/startPayment'

export async function placeOrder(item: string) {
  const price = prices.get(item)
  if (price === undefined) throw new Error('There is no such item.')
  redirect(`/orders/${createOrder(item, toUnits(price)).id}`)
}

/** @returns the secret with which the page opens the checkout, and nothing else */
export async function payOrder(id: string): Promise<string> {
  const order = findOrder(id)
  if (!order || order.paid_at) throw new Error('There is nothing to pay.')
  return startPayment(order)
}
