import type { WalletOption } from '@payment-intents/browser'

/**
 * A smart wallet with a passkey instead of an extension or an app. Call it when the checkout opens: browsers allow its window
 * only right after a press, so its code has to be loaded when the payer chooses it.
 */
export function baseAccount(appName: string): WalletOption {
  const loading = load(appName)
  loading.catch(() => {}) // The payer who chooses it sees the error.
  return {
    name: 'Base Account',
    provider: { request: async (args) => (await loading).request(args) },
  }
}

async function load(appName: string) {
  const { createBaseAccountSDK } = await import('@base-org/account')
  const sdk = createBaseAccountSDK({
    appName,
    appChainIds: [8453, 84532],
    preference: { telemetry: false },
  })
  return sdk.getProvider()
}
