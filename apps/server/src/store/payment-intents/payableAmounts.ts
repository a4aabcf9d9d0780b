import { payableCandidates, type Terms } from '@payment-intents/core'
import type { Db } from '../connection/connect.ts'
import { findFree } from './reservations.ts'

/** Proposes amounts for intents; the database decides whether they are free. */
export type PayableAmounts = {
  /** The next amount, each of them once; null: none is left. */
  propose(terms: Terms, isExcluded: (amount: bigint) => boolean): bigint | null
  /** An amount that was proposed and was not needed. */
  giveBack(terms: Terms, amount: bigint): void
  /** An amount was taken: finds out which of the next are free. */
  check(terms: Terms): Promise<void>
}

type OfPrice = {
  readonly candidates: Iterator<readonly bigint[]>
  /** Not known to be taken; the last of these is proposed next. */
  next: bigint[]
  checking: Promise<void> | null
  /** The creations that wait for it. */
  waiting: number
}

/** Prices are forgotten after this to twice this, or when there are many: then an amount that became free is found. */
const rememberedMs = 5_000
const remembered = 1_000
/** The fewest amounts that are looked up at once; eight times as many each time that too few are free. */
const checkedFirst = 256
/** Amounts that are looked up for each waiting creation at least. */
const checkedForEach = 32

/**
 * Draws the amounts of a price at a wallet once and proposes them one after the other, so that creations of one price in this process do
 * not try for the same amount, and do not retry amounts that are known to be taken.
 *
 * @param random in [0, 1)
 */
export function createPayableAmounts(db: Db, random: () => number): PayableAmounts {
  let recent = new Map<string, OfPrice>()
  let earlier = recent
  let since = performance.now()

  function find({ chainId, wallet, amount }: Terms): OfPrice {
    if (recent.size >= remembered || performance.now() - since > rememberedMs) {
      earlier = recent
      recent = new Map()
      since = performance.now()
    }
    const name = `${chainId}:${wallet}:${amount}`
    const cached = recent.get(name) ?? earlier.get(name)
    if (cached) return cached
    const ofPrice: OfPrice = {
      candidates: payableCandidates(amount, random),
      ...{ next: [], checking: null, waiting: 0 },
    }
    recent.set(name, ofPrice)
    return ofPrice
  }

  /**
   * Finds a free amount for each waiting creation, if the list has as many. Amounts that are looked up stay in the list
   * meanwhile: other creations would find nothing left.
   */
  async function checkNext(terms: Terms, price: OfPrice): Promise<void> {
    for (let least = checkedFirst; fill(price); ) {
      const count = Math.max(least, checkedForEach * price.waiting)
      const batch = price.next.slice(-count)
      const free = new Set(await findFree(db.pool, terms, batch))
      const reservedAmounts = new Set(batch.filter((amount) => !free.has(amount)))
      price.next = price.next.filter((amount) => !reservedAmounts.has(amount))
      const wasAll = batch.length < count
      if (free.size >= price.waiting || (free.size > 0 && wasAll)) return
      if (!wasAll) least = 8 * count
    }
  }

  return {
    propose(terms, isExcluded) {
      const price = find(terms)
      for (;;) {
        if (!fill(price)) return null
        const amount = price.next.pop()
        if (amount !== undefined && !isExcluded(amount)) return amount
      }
    },
    giveBack: (terms, amount) => void find(terms).next.push(amount),
    check(terms) {
      const price = find(terms)
      price.waiting += 1
      price.checking ??= checkNext(terms, price).finally(() => {
        price.checking = null
        price.waiting = 0
      })
      return price.checking
    },
  }
}

/** Whether there is a next amount. */
function fill(price: OfPrice): boolean {
  while (price.next.length === 0) {
    const { value, done } = price.candidates.next()
    if (done) return false
    price.next = value.toReversed()
  }
  return true
}
