'use client'

import { useServiceModal } from '@payment-intents/react'
import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'
import { payOrder } from '../../actions'

type Props = { orderId: string; isPaid: boolean; service: string }

export function PayOrder({ orderId, isPaid, service }: Props) {
  const [problem, setProblem] = useState('')
  const { open, status } = useServiceModal({ merchantName: 'Kiosk', baseUrl: service })
  const router = useRouter()

  useEffect(() => {
    if (isPaid) return
    const timer = setInterval(router.refresh, 2000)
    return () => clearInterval(timer)
  }, [isPaid, router])

  async function pay() {
    try {
      open({ clientSecret: await payOrder(orderId) })
      setProblem('')
    } catch {
      setProblem('Paying with USDC is not possible now. Try again in a moment.')
    }
  }

  const isDetected = status === 'pending' || status === 'succeeded'
  return (
    <>
      <p role="status">
        {isPaid ? 'Paid. Thank you!' : isDetected ? 'Payment seen, almost there …' : problem}
      </p>
      {!isPaid && (
        <button type="button" onClick={pay}>
          Pay with USDC
        </button>
      )}
    </>
  )
}
