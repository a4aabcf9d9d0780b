import { payableCandidates, type Terms } from '@payment-intents/core'
import type { Db } from '../connection/connect.ts'
import { findFree } from './reservations.ts'

/** Proposes amounts for intents. The database decides whether they are free. */
export type PayableAmounts = {
  /** Returns the next amount, each only once; null: none is left. */
  propose(terms: Terms, isExcluded: (amount: bigint) => boolean): bigint | null
  /** Returns a proposed amount that was not needed to the list. */
  giveBack(terms: Terms, amount: bigint): void
  /** Finds out which of the next amounts are free. Call it when a proposed amount was taken. */
  check(terms: Terms): Promise<void>
}

type OfPrice = {
  readonly candidates: Iterator<readonly bigint[]>
  /** Amounts that are not known to be taken. The last of them is proposed next. */
  next: bigint[]
  checking: Promise<void> | null
  /** The number of creations that wait for `checking`. */
  waiting: number
}

/** A price is forgotten after once to twice this time, so that amounts which became free are found again. */
const cachedForMs = 5_000
const maxPrices = 1_000
/** The least number of amounts that are looked up at once. It grows eightfold each time that too few are free. */
const leastChecked = 256
/** The least number of amounts that are looked up for each waiting creation. */
const checkedPerCreation = 32

/**
 * Draws the amounts of a price at a wallet once, and proposes them in turn. So creations of the same price in this
 * process do not compete for an amount, and do not try amounts that are known to be taken.
 *
 * @param random returns a number in [0, 1)
 */
export function createPayableAmounts(db: Db, random: () => number): PayableAmounts {
  let recent = new Map<string, OfPrice>()
  let earlier = recent
  let since = performance.now()

  function find({ chainId, wallet, amount }: Terms): OfPrice {
    if (recent.size >= maxPrices || performance.now() - since > cachedForMs) {
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
   * Finds a free amount for each waiting creation, if the list has as many. Amounts stay in the list while they are
   * looked up, since other creations would otherwise find none left.
   */
  async function checkNext(terms: Terms, price: OfPrice): Promise<void> {
    for (let least = leastChecked; fill(price); ) {
      const count = Math.max(least, checkedPerCreation * price.waiting)
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

/** Draws amounts if the list is empty. @returns whether there is a next amount */
function fill(price: OfPrice): boolean {
  while (price.next.length === 0) {
    const { value, done } = price.candidates.next()
    if (done) return false
    price.next = value.toReversed()
  }
  return true
}
