import type { CheckoutEvent } from './state.ts'

type Options = {
  /** Requests a link that hands the checkout to another browser. */
  request: (signal: AbortSignal) => Promise<Response>
  dispatch: (event: CheckoutEvent) => void
  signal: AbortSignal
}

/** Links open for five minutes. */
const renewMs = 60_000
const staleMs = 4.5 * 60_000
const timeoutMs = 10_000

/**
 * Keeps a link at hand while it is wanted, so that a tap on it navigates at once, as browsers require. Its token opens
 * once, so a page that is returned to gets another.
 *
 * @returns to be called at each drawing
 */
export function keepHandoff({ request, dispatch, signal }: Options): (isWanted: boolean) => void {
  let renewedAt = 0
  let gotAt = 0
  let isAsking = false
  const onVisible = () => {
    if (!document.hidden) renewedAt = 0
  }
  document.addEventListener('visibilitychange', onVisible, { signal })

  async function renew(): Promise<void> {
    isAsking = true
    renewedAt = Date.now()
    const attempt = new AbortController()
    const abort = () => attempt.abort()
    signal.addEventListener('abort', abort)
    const timer = setTimeout(abort, timeoutMs)
    const url = await request(attempt.signal)
      .then(read)
      .catch(() => null)
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    isAsking = false
    if (url) gotAt = Date.now()
    // While the service does not answer, the last link is good for a while.
    if (url || Date.now() - gotAt > staleMs) dispatch({ type: 'handed_off', url })
  }

  return (isWanted) => {
    if (!isWanted || isAsking || signal.aborted) return
    if (Date.now() - renewedAt < renewMs) return
    // A device that slept has a link that opens nothing any more.
    if (gotAt && Date.now() - gotAt > staleMs) dispatch({ type: 'handed_off', url: undefined })
    void renew()
  }
}

async function read(response: Response): Promise<string | null> {
  const { url } = (await response.json()) as { url?: unknown }
  return response.ok && typeof url === 'string' && /^https?:\/\//.test(url) ? url : null
}
