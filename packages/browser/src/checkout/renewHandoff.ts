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
 * Renews the link that opens the checkout in another browser, so that a tap on it navigates at once, as browsers require. Its token works
 * once, so the page requests another link when the payer returns.
 *
 * @returns a function to call at each drawing
 */
export function renewHandoff({
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
    // If the service does not respond, the last link stays until it expires.
    if (url || Date.now() - receivedAt > staleMs) dispatch({ type: 'handed_off', url })
  }

  return (isWanted) => {
    if (!isWanted || isRequesting || signal.aborted) return
    if (Date.now() - renewedAt < renewMs) return
    // The link may have expired while the device slept.
    if (receivedAt && Date.now() - receivedAt > staleMs)
      dispatch({ type: 'handed_off', url: undefined })
    void renew()
  }
}

function urlOf({ status, body }: ServiceResponse): string | null {
  const { url } = (body ?? {}) as { url?: unknown }
  return status < 300 && isWebAddress(url) ? url : null
}
