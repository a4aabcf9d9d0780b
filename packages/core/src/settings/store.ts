import type { Address, Chain, Mode } from '@payment-intents/contract'
import type { Picture } from '../pictures/pictureOf.ts'
import type { Actor } from '../service.ts'

/** A merchant's settings, those of a mode by chain. */
export type StoredSettings = {
  readonly name: string
  readonly defaultChain: Chain | null
  readonly support: string | null
  readonly guide: string | null
  /** `#rrggbb`. */
  readonly accent: string | null
  /** The hash that names the logo. */
  readonly logo: string | null
  readonly wallets: {
    readonly [chain in Chain]?: { readonly address: Address; readonly matchPlainPrice: boolean }
  }
  /** The merchant's own; on other chains the server's applies. */
  readonly confirmations: { readonly [chain in Chain]?: number }
}

/** Absent fields stay unchanged. */
export type SettingsChange = {
  readonly name?: string
  readonly defaultChain?: Chain | null
  readonly support?: string | null
  readonly guide?: string | null
  readonly accent?: string | null
  readonly logo?: Picture | null
  readonly chains?: readonly ChainChange[]
}

export type ChainChange = {
  readonly mode: Mode
  readonly chain: Chain
  readonly matchPlainPrice?: boolean
  /** null: the server's applies. */
  readonly confirmationsRequired?: number | null
}

export type SettingsUpdate =
  | { readonly type: 'updated' }
  /** The plain price is matched only at a registered wallet. */
  | { readonly type: 'no_wallet'; readonly chain: Chain }
  | { readonly type: 'no_merchant' }

export type SettingsStore = {
  /** null: the merchant does not exist. */
  find(actor: Actor): Promise<StoredSettings | null>
  /** Changes everything or nothing. New payment intents use the changes once this resolves. */
  update(merchantId: string, change: SettingsChange): Promise<SettingsUpdate>
}
