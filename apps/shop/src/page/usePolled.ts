import { useEffect, useState } from 'react'

const pause = 1000

/**
 * Reads a path of the shop's API each second, and returns the latest answer; `unread` before the first. An answer other
 * than the statuses 200 and 404 changes nothing.
 */
export function usePolled<Answer>(
  path: string,
  isFinal: (response: Answer | 'missing') => boolean,
): Answer | 'missing' | 'unread' {
  const [latest, setLatest] = useState<Answer | 'missing' | 'unread'>('unread')
  useEffect(() => {
    const leaving = new AbortController()
    let timer: number | undefined
    async function ask(): Promise<void> {
      const next = await read<Answer>(path, leaving.signal)
      if (leaving.signal.aborted) return
      if (next !== 'unreachable') setLatest(next)
      if (next === 'unreachable' || !isFinal(next)) timer = window.setTimeout(ask, pause)
    }
    void ask()
    return () => {
      leaving.abort()
      clearTimeout(timer)
    }
  }, [path])
  return latest
}

async function read<Answer>(
  path: string,
  signal: AbortSignal,
): Promise<Answer | 'missing' | 'unreachable'> {
  try {
    const response = await fetch(path, { signal })
    if (response.status === 404) return 'missing'
    return response.ok ? await response.json() : 'unreachable'
  } catch {
    return 'unreachable'
  }
}
