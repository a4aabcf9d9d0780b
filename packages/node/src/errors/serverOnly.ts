import { rejected } from './paymentIntentsError.ts'

/** The globals that distinguish runtimes; a parameter, so that tests can simulate each runtime. */
type Scope = {
  readonly process?: { readonly versions?: { readonly node?: string }; readonly type?: string }
  readonly Deno?: unknown
  readonly EdgeRuntime?: unknown
  readonly document?: unknown
  readonly importScripts?: unknown
  readonly navigator?: { readonly product?: string; readonly userAgent?: string }
}

/**
 * Throws where the API key would be public. jsdom under Node, edge runtimes and workers on a server pass.
 */
export function assertServer(scope: Scope = globalThis as Scope): void {
  if (!isPublic(scope)) return
  throw rejected(
    'api_key_invalid',
    'An API key must never reach a browser. Create the payment intent on your backend, hand its ' +
      'client_secret to the page, and open the checkout there with @payment-intents/browser.',
  )
}

function isPublic(scope: Scope): boolean {
  if (scope.process?.type === 'renderer') return true // Electron's window has Node's globals too.
  if (scope.process?.versions?.node || scope.Deno || scope.EdgeRuntime) return false
  return (
    scope.document !== undefined ||
    typeof scope.importScripts === 'function' ||
    scope.navigator?.product === 'ReactNative'
  )
}
