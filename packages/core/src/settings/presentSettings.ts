import type { Chain, Mode, Settings } from '@payment-intents/contract'
import { checksummed } from '../lib/checksummed.ts'
import { logoPath } from '../pictures/logo.ts'
import type { Actor } from '../service.ts'
import type { StoredSettings } from './store.ts'

type Server = {
  readonly publicUrl: string
  readonly confirmations: (mode: Mode) => { readonly [chain in Chain]?: number }
}

/** Settings as merchants read them. */
export function presentSettings(
  { merchantId, mode }: Actor,
  settings: StoredSettings,
  { publicUrl, confirmations }: Server,
): Settings {
  const { name, accent, logo, support, guide } = settings
  const followed = Object.entries(confirmations(mode)) as [Chain, number][]
  return {
    id: merchantId,
    mode,
    name,
    default_chain: settings.defaultChain,
    brand: { accent, logo: logo && publicUrl + logoPath(logo) },
    support,
    guide,
    chains: Object.fromEntries(
      followed.map(([chain, required]) => {
        const wallet = settings.wallets[chain]
        return [
          chain,
          {
            wallet: wallet ? checksummed(wallet.address) : null,
            match_plain_price: wallet?.matchPlainPrice ?? false,
            confirmations_required: settings.confirmations[chain] ?? null,
            server_confirmations_required: required,
          },
        ]
      }),
    ),
  }
}
