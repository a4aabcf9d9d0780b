import { announceTestWallet } from '@payment-intents/testing/wallet'
import { askConsent } from './askConsent.ts'
import { icon } from './icon.ts'
import { createProvider } from './provider.ts'

const rpc = document.querySelector<HTMLMetaElement>('meta[name=demo-wallet-rpc]')
const account = Number(new URLSearchParams(location.search).get('account') ?? 1)
if (rpc) {
  announceTestWallet(
    createProvider({ rpcUrl: rpc.content, accountIndex: account, ask: askConsent }),
    { name: 'Demo Wallet', icon, rdns: 'dev.payment-intents.demo-wallet' },
  )
}
