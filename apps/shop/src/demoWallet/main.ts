import { announceTestWallet } from '@payment-intents/testing/wallet'
import { icon } from './icon.ts'
import { createProvider } from './provider.ts'
import { promptConsent } from './requestConsent.ts'

const rpc = document.querySelector<HTMLMetaElement>('meta[name=demo-wallet-rpc]')
const address = new URLSearchParams(location.search)
const accountIndex = Number(address.get('account') ?? 1)
const kind = address.get('wallet') === 'smart' ? 'smart' : 'everyday'
const name = kind === 'smart' ? 'Smart Demo Wallet' : 'Demo Wallet'
if (rpc) {
  announceTestWallet(
    createProvider({
      rpcUrls: rpc.content.split(' '),
      accountIndex,
      kind,
      prompt: (request) => promptConsent(name, request),
    }),
    { name, icon, rdns: `dev.payment-intents.demo-wallet.${kind}` },
  )
}
