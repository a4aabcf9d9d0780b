import { useEffect, useState } from 'react'

const pause = 1000

/**
 * Reads a path of the shop's API each second, and returns the latest response; `unread` before the first. A response
 * with another status than 200 and 404 changes nothing.
 */
export function usePolled<Polled>(
  path: string,
  isFinal: (response: Polled | 'missing') => boolean,
): Polled | 'missing' | 'unread' {
  const [latest, setLatest] = useState<Polled | 'missing' | 'unread'>('unread')
  useEffect(() => {
    const leaving = new AbortController()
    let timer: number | undefined
    async function poll(): Promise<void> {
      const next = await read<Polled>(path, leaving.signal)
      if (leaving.signal.aborted) return
      if (next !== 'unreachable') setLatest(next)
      if (next === 'unreachable' || !isFinal(next)) timer = window.setTimeout(poll, pause)
    }
    void poll()
    return () => {
      leaving.abort()
      clearTimeout(timer)
    }
  }, [path])
  return latest
}

async function read<Polled>(
  path: string,
  signal: AbortSignal,
): Promise<Polled | 'missing' | 'unreachable'> {
  try {
    const response = await fetch(path, { signal })
    if (response.status === 404) return 'missing'
    return response.ok ? await response.json() : 'unreachable'
  } catch {
    return 'unreachable'
  }
}
