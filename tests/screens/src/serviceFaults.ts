import type { Route } from 'playwright-core'

/** Faults between a page and the service. */
export type Fault = 'silent' | 'unreachable' | 'busy' | 'faulty'

export const resolvePath = '**/v1/payment_intents/resolve'
export const authorizePath = '**/v1/payment_intents/authorize'

export const faults: Record<Fault, (route: Route) => Promise<void>> = {
  silent: () => Promise.resolve(),
  unreachable: (route) => route.abort('connectionrefused'),
  busy: (route) => route.fulfill(failure(429, 'rate_limited')),
  faulty: (route) => route.fulfill(failure(500, 'internal_error')),
}

/** Adds an explorer, which a development chain lacks, to the service's response. */
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

/** The changes to a response of the service. */
export type Alteration = (intent: Resolved) => object

/** The input of alterations. */
type Resolved = {
  readonly chain_id: number
  readonly token_address: string
  readonly expected_wallet: string
  readonly price_units: number
  readonly expires_at: string
  readonly payment_reference: string
}

/** Changes the service's response in ways that the walk cannot produce otherwise. */
export function alter(changes: object | Alteration): (route: Route) => Promise<void> {
  return async (route) => {
    try {
      const response = await route.fetch()
      const intent = await response.json()
      const altered = typeof changes === 'function' ? changes(intent) : changes
      await route.fulfill({ response, json: { ...intent, ...altered } })
    } catch {
      // Held while the page was closed.
    }
  }
}

function failure(status: number, error: string) {
  return { status, headers: { 'access-control-allow-origin': '*' }, json: { error } }
}
