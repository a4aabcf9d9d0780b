import { useEffect, useState } from 'react'
import type { ListedDelivery } from '../db/deliveries.ts'

const pause = 1000

/**
 * Polls the latest deliveries each second, newest first.
 *
 * @param orderId null for all orders, which the result does not distinguish
 */
export function useDeliveries(orderId: string | null): readonly ListedDelivery[] {
  const [deliveries, setDeliveries] = useState<readonly ListedDelivery[]>([])
  useEffect(() => {
    const leaving = new AbortController()
    let timer: number | undefined
    async function ask(): Promise<void> {
      const next = await read(orderId, leaving.signal)
      if (leaving.signal.aborted) return
      if (next !== 'unreachable') setDeliveries(next)
      timer = window.setTimeout(ask, pause)
    }
    void ask()
    return () => {
      leaving.abort()
      clearTimeout(timer)
    }
  }, [orderId])
  return deliveries
}

async function read(
  orderId: string | null,
  signal: AbortSignal,
): Promise<readonly ListedDelivery[] | 'unreachable'> {
  try {
    const of = orderId === null ? '' : `/orders/${orderId}`
    const response = await fetch(`/api${of}/deliveries`, { signal })
    return response.ok ? (await response.json()).data : 'unreachable'
  } catch {
    return 'unreachable'
  }
}
