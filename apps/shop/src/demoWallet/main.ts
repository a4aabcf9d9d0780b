import { announce } from './announce.ts'
import { askConsent } from './askConsent.ts'
import { createProvider } from './provider.ts'

const rpc = document.querySelector<HTMLMetaElement>('meta[name=demo-wallet-rpc]')
const account = Number(new URLSearchParams(location.search).get('account') ?? 1)
if (rpc) announce(createProvider({ rpcUrl: rpc.content, accountIndex: account, ask: askConsent }))
