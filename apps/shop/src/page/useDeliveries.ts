import { useEffect, useState } from 'react'
import type { Delivery } from '../db/deliveries.ts'

const pause = 1000

/** The latest deliveries, newest first, asked for again each second. */
export function useDeliveries(): readonly Delivery[] {
  const [deliveries, setDeliveries] = useState<readonly Delivery[]>([])
  useEffect(() => {
    const leaving = new AbortController()
    let timer: number | undefined
    async function ask(): Promise<void> {
      const next = await read(leaving.signal)
      if (leaving.signal.aborted) return
      if (next !== 'unreachable') setDeliveries(next)
      timer = window.setTimeout(ask, pause)
    }
    void ask()
    return () => {
      leaving.abort()
      clearTimeout(timer)
    }
  }, [])
  return deliveries
}

async function read(signal: AbortSignal): Promise<readonly Delivery[] | 'unreachable'> {
  try {
    const response = await fetch('/api/deliveries', { signal })
    return response.ok ? (await response.json()).data : 'unreachable'
  } catch {
    return 'unreachable'
  }
}
