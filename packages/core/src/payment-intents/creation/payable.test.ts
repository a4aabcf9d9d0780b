import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../../tests/support/tier.ts'
import { payableCandidates } from './payable.ts'

const mug = 24_000_000n

const isFirst = (amount: bigint) => amount % 200n === 100n
const isSecond = (amount: bigint) => {
  const [fourth = 0n, tail = 0n] = [(amount / 100n) % 10n, amount % 100n]
  return fourth > 0n && fourth % 2n === 0n && tail >= 1n && tail <= 49n && tail % 10n !== 0n
}

/** Pseudo-random numbers in [0, 1). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

/** Amounts as a wallet reserves them: the first free amount each time. */
function drawAmounts(price: bigint, count: number, random = seeded(1)): bigint[] {
  const amounts = new Set<bigint>()
  for (let index = 0; index < count; index += 1) {
    const free = [...payableCandidates(price, random)].flat().find((amount) => !amounts.has(amount))
    if (free === undefined) break
    amounts.add(free)
  }
  return [...amounts]
}

describe('the amounts of one price', () => {
  test('are 50 of the first shape, then of the second', () => {
    const amounts = drawAmounts(mug, 120)
    expect(amounts.slice(0, 50).every(isFirst)).toBe(true)
    expect(amounts.slice(50).every(isSecond)).toBe(true)
    expect(amounts.every((amount) => amount - mug < 10_000n)).toBe(true)
  })

  test('fill the cent before the next: 50, then 1,800, then the others', () => {
    const [, , , ...cent] = [...payableCandidates(mug, seeded(1))]
    const within = cent.filter(([amount = 0n]) => amount - mug < 10_000n)
    expect(within.map((batch) => batch.length)).toEqual([50, 1_800, 9_999 - 1_850])
    expect(new Set(within.flat()).size).toBe(9_999)
    expect(cent.flat().some((amount) => amount - mug > 10_000n)).toBe(true)
  })

  test('are drawn, not listed, while other amounts of the cent are free', () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const [firstAmounts = [], secondAmounts = [], drawn = []] = payableCandidates(
        mug,
        seeded(seed),
      )
      const enumerated = [...firstAmounts, ...secondAmounts]
      expect(enumerated.length + drawn.length).toBeLessThan(1_100)
      // Both patterns are full, or one in twenty of the second is free.
      const isThird = (amount: bigint) => !isFirst(amount) && !isSecond(amount)
      expect(drawn.some((amount) => isThird(amount) && amount - mug < 10_000n)).toBe(true)
      // The cent is full, too.
      expect(drawn.some((amount) => amount - mug > 10_000n)).toBe(true)
      const secondOnTwentieths = [...enumerated, ...drawn].filter(
        (amount) => isSecond(amount) && amount % 20n === 1n,
      )
      expect(secondOnTwentieths.length).toBeGreaterThan(0)
    }
  })

  test('come in a random order', () => {
    const firstFifty = (seed: number) =>
      [...payableCandidates(mug, seeded(seed))].flat().slice(0, 50)
    expect(firstFifty(1).toSorted()).toEqual(firstFifty(2).toSorted())
    expect(firstFifty(1)).not.toEqual(firstFifty(2))
    expect(firstFifty(1).slice(0, 1)).not.toEqual(firstFifty(2).slice(0, 1))
  })
})

test('an amount is above its price, by at most 1 % or 99 units, and no whole number of cents', () => {
  const prices = fc.oneof(
    fc.bigInt({ min: 1n, max: 200_000n }),
    fc.bigInt({ min: 1n, max: 2n ** 53n - 1n }),
    fc.constantFrom(2n ** 53n - 1n, 2n ** 53n - 2n, 2n ** 53n - 101n),
  )
  fc.assert(
    fc.property(prices, fc.nat(), (price, seed) => {
      const all = [...payableCandidates(price, seeded(seed))].flat()
      const maxTag = price / 100n > 99n ? price / 100n : 99n
      for (const amount of all) {
        const tag = amount - price
        if (tag <= 0n || tag > maxTag || amount % 10_000n === 0n || amount >= 2n ** 53n) {
          throw new Error(`${amount} for ${price}`)
        }
      }
      if (price < 2n ** 53n - 2n) expect(all.length).toBeGreaterThan(0)
    }),
    { numRuns: runs(500) },
  )
})

test('no shaped amount becomes another by truncating or rounding at two to five decimals', () => {
  const amounts = fc
    .integer({ min: 0, max: 10 ** 9 })
    .map(BigInt)
    .filter((amount) => isFirst(amount) || isSecond(amount))
  fc.assert(
    fc.property(amounts, (amount) => {
      for (const step of [10_000n, 1_000n, 100n, 10n]) {
        const truncated = (amount / step) * step
        const rounded = ((amount + step / 2n) / step) * step
        for (const typed of [truncated, rounded]) {
          if (typed !== amount) expect(isFirst(typed) || isSecond(typed)).toBe(false)
        }
      }
    }),
    { numRuns: runs(5_000) },
  )
})
