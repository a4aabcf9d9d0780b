import type { Chain } from '@payment-intents/contract'
import type { BoundBy } from '../payment-intents/intent.ts'
import type { Actor } from '../service.ts'
import type { Amounts, Sums } from './sums.ts'

/** A period in parts. Unix milliseconds. */
export type SummaryPeriod = {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  /** The starts of the parts: the first is `from`, the others whole hours after it. */
  readonly starts: readonly number[]
}

export type StoredSummary = {
  /** The sums of each part that is not empty, by its index in `starts`. */
  readonly parts: ReadonlyMap<number, Sums>
  /** `boundBy` null: the refunds of a chain. */
  readonly groups: readonly (Amounts & {
    readonly chain: Chain
    readonly boundBy: BoundBy | null
  })[]
  /** From creation to success, of the newest payments, in milliseconds. */
  readonly timesToPaid: readonly number[]
}

export type SummaryStore = {
  /** @param newest the maximum number of payments whose times to success are read */
  retrieve(actor: Actor, period: SummaryPeriod, newest: number): Promise<StoredSummary>
}
