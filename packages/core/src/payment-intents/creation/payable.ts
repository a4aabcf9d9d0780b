type AmountPattern = (amount: number) => boolean

const firstStep = 200
const firstRemainder = 100

/** Fourth decimal odd, then zeros: 50 in each cent. */
const first: AmountPattern = (amount) => amount % firstStep === firstRemainder

/** Fourth decimal even and not zero, last two digits 01 to 49, sixth not zero: 1,800 in each cent. */
const second: AmountPattern = (amount) => {
  const fourth = Math.floor(amount / 100) % 10
  return fourth !== 0 && fourth % 2 === 0 && amount % 100 < 50 && amount % 10 !== 0
}

/** All other amounts, except whole cents, which payers type: a cent has 9,999. */
const third: AmountPattern = (amount) => amount % 10_000 !== 0

/**
 * The patterns of payable amounts, in the order of use. Amounts of the first two never become one another by truncating
 * or rounding at two to five decimals.
 */
const patterns: readonly AmountPattern[] = [first, second, third]

const centUnits = 10_000
/** From cents with more amounts than this, draw this many. */
const maxDrawn = 10_000
const sampleSize = 256

/**
 * The payable amounts for a new intent of this price, in the order to try them: the price plus a tag that is never zero
 * and at most 1 % of the price, or 99 units if that is more. Within a cent the patterns come in order; within a pattern the
 * order is random, so that concurrent creations do not compete for one amount. The first batch is one amount. The
 * second contains a free amount for most wallets, and the third for nearly all others, however many intents are open.
 * @param price smallest token units, at most 2^53 − 1
 * @param random in [0, 1)
 */
export function* payableCandidates(price: bigint, random: () => number): Generator<bigint[]> {
  const from = Number(price) + 1
  const cap = Math.max(Math.floor(Number(price) / 100), 99)
  const last = Math.min(Number(price) + cap, Number.MAX_SAFE_INTEGER)
  const lastOfCent = Math.min(last, Number(price) + centUnits - 1)

  if (from > last) return
  const cent = { from, to: lastOfCent }
  const toNext = (firstRemainder - (from % firstStep) + firstStep) % firstStep
  const firstAmounts = range(from + toNext, lastOfCent, firstStep)
  const drawn = firstAmounts.from + firstAmounts.step * Math.floor(random() * firstAmounts.count)
  // A single amount: most prices at a wallet need no other, and listing costs ten times as much.
  if (firstAmounts.count > 0) yield [BigInt(drawn)]
  yield shuffled(
    listed(firstAmounts).filter((amount) => amount !== drawn),
    random,
  ).map(BigInt)
  // For hundreds of open intents or more: drawing costs far less than listing the whole cent, and misses a pattern only
  // when nearly all of its amounts are reserved.
  const following = { from: lastOfCent + 1, to: last }
  const sampled = [
    ...sample(second, cent, random, 4 * sampleSize),
    ...sample(third, cent, random),
    ...patterns.flatMap((pattern) => sample(pattern, following, random)),
  ]
  yield sampled.map(BigInt)

  yield* ordered(listed(range(from, lastOfCent)), random)

  if (last - lastOfCent <= maxDrawn) {
    return yield* ordered(listed(range(following.from, following.to)), random)
  }
  yield sample(third, following, random, maxDrawn).map(BigInt)
}

/** One batch per pattern. An amount belongs to the first pattern that it matches. */
function* ordered(amounts: readonly number[], random: () => number): Generator<bigint[]> {
  for (const [index, matches] of patterns.entries()) {
    const earlier = patterns.slice(0, index)
    const batch = amounts.filter(
      (amount) => matches(amount) && !earlier.some((other) => other(amount)),
    )
    if (batch.length > 0) yield shuffled(batch, random).map(BigInt)
  }
}

function sample(
  matches: AmountPattern,
  { from, to }: { from: number; to: number },
  random: () => number,
  size = sampleSize,
) {
  const drawn = new Set<number>()
  for (let tries = 0; tries < size; tries += 1) {
    const amount = from + Math.floor(random() * (to - from + 1))
    if (amount <= to && matches(amount)) drawn.add(amount)
  }
  return [...drawn]
}

function shuffled(amounts: number[], random: () => number): number[] {
  for (let index = amounts.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1))
    const [a = 0, b = 0] = [amounts[index], amounts[other]]
    amounts[index] = b
    amounts[other] = a
  }
  return amounts
}

type Range = { readonly from: number; readonly step: number; readonly count: number }

function range(from: number, to: number, step = 1): Range {
  return { from, step, count: Math.max(0, Math.floor((to - from) / step) + 1) }
}

function listed({ from, step, count }: Range): number[] {
  return Array.from({ length: count }, (_, index) => from + index * step)
}
