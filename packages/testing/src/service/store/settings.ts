import type { Chain } from '@payment-intents/contract'
import type { SettingsStore } from '@payment-intents/core'
import type { Records } from './records.ts'

/** The merchant's settings. */
export function createSettings({ merchant }: Pick<Records, 'merchant'>): SettingsStore {
  return {
    async find() {
      const wallets = Object.entries(merchant.wallets) as [Chain, `0x${string}`][]
      return {
        ...merchant,
        logo: merchant.logo?.hash ?? null,
        wallets: Object.fromEntries(
          wallets.map(([chain, address]) => {
            return [chain, { address, matchPlainPrice: merchant.matchPlainPrice.has(chain) }]
          }),
        ),
      }
    },
    async update(_merchantId, { chains = [], ...change }) {
      const lacking = chains.find((each) => each.matchPlainPrice && !merchant.wallets[each.chain])
      if (lacking) return { type: 'no_wallet', chain: lacking.chain }
      Object.assign(merchant, change)
      for (const { chain, matchPlainPrice, confirmationsRequired } of chains) {
        if (matchPlainPrice !== undefined) {
          const others = [...merchant.matchPlainPrice].filter((each) => each !== chain)
          merchant.matchPlainPrice = new Set(matchPlainPrice ? [...others, chain] : others)
        }
        if (confirmationsRequired === undefined) continue
        const { [chain]: _before, ...others } = merchant.confirmations
        const confirmations =
          confirmationsRequired === null ? {} : { [chain]: confirmationsRequired }
        merchant.confirmations = { ...others, ...confirmations }
      }
      return { type: 'updated' }
    },
  }
}
