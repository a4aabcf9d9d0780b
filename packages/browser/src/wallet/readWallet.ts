import type { EIP1193Provider } from '../options.ts'
import { sleep } from '../sleep.ts'

/** Asks the wallet for what it can look up by itself. */
export type ReadWallet = (method: string, ...params: readonly unknown[]) => Promise<unknown>

/**
 * Reads through a wallet. One that stays silent for so long, over what no one has to answer by hand, is a
 * `TimeoutError`; so is what is still unanswered when the signal aborts.
 */
export function readWallet(
  provider: EIP1193Provider,
  signal: AbortSignal,
  patienceMs = 15_000,
): ReadWallet {
  return async (method, ...params) => {
    signal.throwIfAborted()
    const answered = new AbortController()
    const end = () => answered.abort()
    signal.addEventListener('abort', end)
    try {
      return await Promise.race([
        provider.request({ method, params }),
        sleep(patienceMs, answered.signal).then(() => {
          throw new DOMException(`${method} is not answered.`, 'TimeoutError')
        }),
      ])
    } finally {
      signal.removeEventListener('abort', end)
      end()
    }
  }
}
