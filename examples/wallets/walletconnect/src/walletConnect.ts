import type { WalletOption } from '@payment-intents/browser'

/** A wallet on a phone, by a QR code. The library is larger than the checkout, and is loaded when a payer chooses it. */
export function walletConnect(projectId: string): WalletOption {
  let loading: ReturnType<typeof load> | undefined
  return {
    name: 'WalletConnect',
    provider: {
      async request(args) {
        loading ??= load(projectId)
        const provider = await loading.catch((error) => {
          loading = undefined // The payer may be offline: the next try loads it again.
          throw error
        })
        if (args.method !== 'eth_requestAccounts') return provider.request(args)
        // It shows the QR code unless a phone is connected already.
        return provider.enable().catch((error: Error) => {
          // A payer who closes the QR code has rejected the request; this package has no error code for it (EIP-1193).
          throw /reset/i.test(error.message) ? Object.assign(error, { code: 4001 }) : error
        })
      },
    },
  }
}

async function load(projectId: string) {
  const { EthereumProvider } = await import('@walletconnect/ethereum-provider')
  return EthereumProvider.init({
    projectId,
    showQrModal: true,
    // Base and Polygon, and their testnets; optional, since a wallet without one of the chains would refuse to connect.
    optionalChains: [8453, 137, 84532, 80002],
    metadata: {
      name: document.title,
      description: 'Pay with USDC',
      url: location.origin,
      icons: [],
    },
  })
}
