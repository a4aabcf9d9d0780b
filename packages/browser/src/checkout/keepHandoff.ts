import { callService, type ServiceResponse } from '../service/callService.ts'
import { isWebAddress } from '../service/parseIntent.ts'
import type { Requests, ServiceTransport } from '../service/post.ts'
import type { CheckoutEvent } from './state.ts'

type Options = {
  serviceTransport: ServiceTransport
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
  serviceTransport,
  request,
  dispatch,
  signal,
}: Options): (isWanted: boolean) => void {
  let renewedAt = 0
  let receivedAt = 0
  let isRequesting = false
  const onVisible = () => {
    if (!document.hidden) renewedAt = 0
  }
  document.addEventListener('visibilitychange', onVisible, { signal })

  async function renew(): Promise<void> {
    isRequesting = true
    renewedAt = Date.now()
    const response = await callService(serviceTransport, 'handoff', request(), signal)
    const url = response && urlOf(response)
    isRequesting = false
    if (url) receivedAt = Date.now()
    // While the service does not respond, the last link stays valid for a while.
    if (url || Date.now() - receivedAt > staleMs) dispatch({ type: 'handed_off', url })
  }

  return (isWanted) => {
    if (!isWanted || isRequesting || signal.aborted) return
    if (Date.now() - renewedAt < renewMs) return
    // A device that slept has a link that opens nothing any more.
    if (receivedAt && Date.now() - receivedAt > staleMs)
      dispatch({ type: 'handed_off', url: undefined })
    void renew()
  }
}

function urlOf({ status, body }: ServiceResponse): string | null {
  const { url } = (body ?? {}) as { url?: unknown }
  return status < 300 && isWebAddress(url) ? url : null
}
