import { useEffect, useState } from 'react'
import type { DescribedOrder } from '../http/describeOrder.ts'

export type WatchedOrder =
  | { state: 'loading' }
  | { state: 'missing' }
  | { state: 'known'; order: DescribedOrder }

const pause = 1000

/** Polls an order each second until it is paid: an expired or canceled order may still receive money. */
export function useOrder(id: string): WatchedOrder {
  const [watched, setWatched] = useState<WatchedOrder>({ state: 'loading' })
  useEffect(() => {
    const leaving = new AbortController()
    let timer: number | undefined
    async function ask(): Promise<void> {
      const next = await read(id, leaving.signal)
      if (leaving.signal.aborted) return
      if (next !== 'unreachable') setWatched(next)
      if (next === 'unreachable' || !isFinal(next)) timer = window.setTimeout(ask, pause)
    }
    void ask()
    return () => {
      leaving.abort()
      clearTimeout(timer)
    }
  }, [id])
  return watched
}

function isFinal(watched: WatchedOrder): boolean {
  if (watched.state !== 'known') return watched.state === 'missing'
  return watched.order.status === 'succeeded'
}

async function read(id: string, signal: AbortSignal): Promise<WatchedOrder | 'unreachable'> {
  try {
    const response = await fetch(`/api/orders/${id}`, { signal })
    if (response.status === 404) return { state: 'missing' }
    if (!response.ok) return 'unreachable'
    return { state: 'known', order: await response.json() }
  } catch {
    return 'unreachable'
  }
}
