import type { EIP1193Provider } from '../../checkoutOptions.ts'
import { sleep } from '../../lib/sleep.ts'

/** Calls a method to which the wallet responds without its user. */
export type ReadWallet = (method: string, ...params: readonly unknown[]) => Promise<unknown>

/** Reads through a wallet. Throws a `TimeoutError` if the wallet does not respond in time or the signal aborts. */
export function readWallet(
  provider: EIP1193Provider,
  signal: AbortSignal,
  timeoutMs = 15_000,
): ReadWallet {
  return async (method, ...params) => {
    signal.throwIfAborted()
    const settled = new AbortController()
    const end = () => settled.abort()
    signal.addEventListener('abort', end)
    try {
      return await Promise.race([
        provider.request({ method, params }),
        sleep(timeoutMs, settled.signal).then(() => {
          throw new DOMException(method, 'TimeoutError')
        }),
      ])
    } finally {
      signal.removeEventListener('abort', end)
      end()
    }
  }
}
