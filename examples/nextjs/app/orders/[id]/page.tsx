import { notFound } from 'next/navigation'
import { findOrder } from '../../../lib/orders'
import { prices } from '../../../lib/prices'
import { PayOrder } from './PayOrder'

/** Shows an order: first to pay, then as the thank-you page. Only the webhook sets the paid status. */
export default async function OrderPage({ params }: PageProps<'/orders/[id]'>) {
  const order = findOrder((await params).id)
  if (!order) notFound()
  return (
    <>
      <p>
        Your {order.item}, {prices.get(order.item)} USDC
      </p>
      <PayOrder
        orderId={order.id}
        isPaid={order.paid_at !== null}
        service={process.env.PAYMENT_INTENTS_BASE_URL ?? ''}
      />
    </>
  )
}
