import type { EIP1193Provider } from '../../checkoutOptions.ts'
import { toJson } from '../../lib/toJson.ts'

type Request = Parameters<EIP1193Provider['request']>[0]
type Open = { since: number; response: Promise<unknown> }

/** Requests for a connection or a network without a response yet, by method and parameters. */
let open = new WeakMap<EIP1193Provider, Map<string, Open>>()

/** After this time, the wallet may have lost the request, and receives another. */
const retentionMs = 60_000

/**
 * Sends a request of a kind of which a wallet opens only one: it refuses a second with -32002. Every caller with the same
 * request within a minute gets the same response, so that no approval is lost.
 */
export function requestOnce(provider: EIP1193Provider, request: Request): Promise<unknown> {
  const requests = open.get(provider) ?? new Map<string, Open>()
  open.set(provider, requests)
  const key = `${request.method} ${toJson(request.params)}`
  const pending = requests.get(key)
  if (pending && Date.now() - pending.since < retentionMs) return pending.response
  const sent = { since: Date.now(), response: Promise.resolve(provider.request(request)) }
  requests.set(key, sent)
  const end = () => {
    if (requests.get(key) === sent) requests.delete(key)
  }
  sent.response.then(end, end)
  return sent.response
}

/** Forgets open requests: a page from the browser's back/forward cache has lost the connection to its wallets. */
export function forgetOpenRequests(): void {
  open = new WeakMap()
}
