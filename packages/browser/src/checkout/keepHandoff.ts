import { type Answer, askOnce } from '../service/askOnce.ts'
import { isWebAddress } from '../service/parseIntent.ts'
import type { Ask, Requests } from '../service/post.ts'
import type { CheckoutEvent } from './state.ts'

type Options = {
  ask: Ask
  request: () => Requests['handoff']
  dispatch: (event: CheckoutEvent) => void
  signal: AbortSignal
}

/** Links open for five minutes. */
const renewMs = 60_000
const staleMs = 4.5 * 60_000

/**
 * Keeps a link that opens the checkout in another browser at hand while it is wanted, so that a tap on it navigates at once, as browsers require. Its token opens
 * once, so a page that is returned to gets another.
 *
 * @returns to be called at each drawing
 */
export function keepHandoff({
  ask,
  request,
  dispatch,
  signal,
}: Options): (isWanted: boolean) => void {
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
    const answer = await askOnce(ask, 'handoff', request(), signal)
    const url = answer && urlOf(answer)
    isAsking = false
    if (url) gotAt = Date.now()
    // While the service does not respond, the last link stays valid for a while.
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

function urlOf({ status, body }: Answer): string | null {
  const { url } = (body ?? {}) as { url?: unknown }
  return status < 300 && isWebAddress(url) ? url : null
}
