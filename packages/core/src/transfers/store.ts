import type { Chain } from '@payment-intents/contract'
import type { IntentAndTransferFilter } from '../lib/listFilter.ts'
import type { Page } from '../lib/presentPage.ts'
import type { Actor } from '../service.ts'
import type { PresentableTransfer } from './presentTransfer.ts'

export type TransferFilter = IntentAndTransferFilter & {
  readonly intentId: string | null
  readonly matched: boolean | null
  readonly chain: Chain | null
}

export type ListedTransfer = PresentableTransfer & { readonly chainId: number }

export type TransferStore = {
  /** Transfers to a merchant's wallets, newest first. */
  list(actor: Actor, filter: TransferFilter): Promise<Page<ListedTransfer>>
}
