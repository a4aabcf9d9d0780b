import { sleep } from '../lib/sleep.ts'
import type { Brand } from './applyBrand.ts'

/** The credential that opens a session: the token of a link, the secret of a link, or the cookie of the page's own path. */
type Opening = { token: string } | { client_secret: string; return_url?: string | undefined } | null

export type Session = {
  id: string
  client_secret: string
  return_url: string | null
  brand: Brand | null
}

const timeoutMs = 10_000
const slowestRetryMs = 8_000

/**
 * Exchanges the page's credential for a session, whose cookie no script reads; retries until the service responds.
 *
 * @param path the page's path, to which the cookie is limited
 * @param onFailed called after each failed try, with a function that begins the next
 * @returns the session; null if the credential opens none
 */
export async function openSession(
  path: string,
  opening: Opening,
  onFailed: (retry: () => void) => void = () => {},
): Promise<Session | null> {
  for (let tries = 0; ; tries += 1) {
    const response = await fetch(`${path}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(opening ?? {}),
      cache: 'no-store',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch(() => null)
    const session = response?.ok ? await response.json().catch(() => null) : null
    if (session) return session
    if (response?.status === 404 || response?.status === 400) return null
    await pause(Math.min(slowestRetryMs, 500 * 2 ** tries), onFailed)
  }
}

/** Resolves after a while, when the payer retries, or when the browser is back online. */
async function pause(ms: number, onFailed: (retry: () => void) => void): Promise<void> {
  const back = new AbortController()
  const wake = () => back.abort()
  onFailed(wake)
  window.addEventListener('online', wake, { once: true })
  await sleep(ms, back.signal)
  window.removeEventListener('online', wake)
}
