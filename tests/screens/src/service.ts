import type { Route } from 'playwright-core'

/** What can stand between a page and the service. */
export type Fault = 'silent' | 'unreachable' | 'busy' | 'faulty'

export const resolvePath = '**/v1/payment_intents/resolve'

export const faults: Record<Fault, (route: Route) => Promise<void>> = {
  silent: () => Promise.resolve(),
  unreachable: (route) => route.abort('connectionrefused'),
  busy: (route) => route.fulfill(failure(429, 'rate_limited')),
  faulty: (route) => route.fulfill(failure(500, 'internal_error')),
}

/** The one thing that a development chain has not; all else is as the service answers it. */
export async function addExplorer(route: Route): Promise<void> {
  try {
    const response = await route.fetch()
    const intent = await response.json()
    const network = { ...intent.network, explorer_url: 'https://sepolia.basescan.org' }
    await route.fulfill({ response, json: { ...intent, network } })
  } catch {
    // Held while the page was closed.
  }
}

/** What the service could say, of which the walk has no other way to make it. */
export function alter(changes: object): (route: Route) => Promise<void> {
  return async (route) => {
    try {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), ...changes } })
    } catch {
      // Held while the page was closed.
    }
  }
}

function failure(status: number, error: string) {
  return { status, headers: { 'access-control-allow-origin': '*' }, json: { error } }
}
