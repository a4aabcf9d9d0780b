import { useServiceModal } from '@payment-intents/react'
import { useEffect, useState } from 'react'
import { callApi } from './callApi.ts'

type Order = { id: string; item: string; price: string; paid: boolean }

/** Shows an order: first to pay, then as the thank-you page. Only the webhook sets the paid status. */
export function OrderPage({ id }: { id: string }) {
  const [order, setOrder] = useState<Order>()
  const [problem, setProblem] = useState('')
  const { open, status } = useServiceModal({
    merchantName: 'Kiosk',
    baseUrl: import.meta.env.PAYMENT_INTENTS_BASE_URL,
  })

  const isPaid = order?.paid
  useEffect(() => {
    if (isPaid) return
    const load = () => callApi<Order>(`/api/orders/${id}`).then(setOrder, () => {})
    load()
    const timer = setInterval(load, 2000)
    return () => clearInterval(timer)
  }, [id, isPaid])

  async function pay() {
    try {
      const { client_secret } = await callApi<{ client_secret: string }>(
        `/api/orders/${id}/payment`,
        {},
      )
      setProblem('')
      open({ clientSecret: client_secret })
    } catch {
      setProblem('Paying with USDC is not possible now. Try again in a moment.')
    }
  }

  if (!order) return null
  const isDetected = status === 'pending' || status === 'succeeded'
  return (
    <>
      <p>
        Your {order.item}, {order.price} USDC
      </p>
      <p role="status">
        {order.paid ? 'Paid. Thank you!' : isDetected ? 'Payment seen, almost there …' : problem}
      </p>
      {!order.paid && (
        <button type="button" onClick={pay}>
          Pay with USDC
        </button>
      )}
    </>
  )
}
