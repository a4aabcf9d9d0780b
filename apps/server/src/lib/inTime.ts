import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves to the result, or to null if it takes longer than `ms`. */
export async function inTime<Value>(result: Promise<Value>, ms: number): Promise<Value | null> {
  const settled = new AbortController()
  const timeout = sleep(ms, null, { signal: settled.signal }).catch(() => null)
  return Promise.race([result, timeout]).finally(() => settled.abort())
}
