import { expect, test } from 'vitest'
import { suggest } from './suggest.ts'

const nearIntent = (id: string, amount: bigint, payable: bigint) => ({ id, amount, payable })
const shown = (suggestions: ReturnType<typeof suggest>) =>
  suggestions.map(({ intentId, match }) => `${intentId} ${match}`)

test('orders intents of the price first, then the nearest, then those of the payer, each once', () => {
  const intents = [
    nearIntent('far', 24_998_000n, 24_998_100n),
    nearIntent('close', 25_000_001n, 25_000_101n),
    nearIntent('exact', 25_000_000n, 25_000_900n),
    nearIntent('other', 90_000_000n, 90_000_100n),
  ]
  expect(shown(suggest(25_000_000n, intents, ['payer', 'close']))).toEqual([
    ...['exact price', 'close amount', 'far amount', 'payer payer'],
  ])
})

test('at most five are suggested', () => {
  const namedPayers = ['a', 'b', 'c', 'd', 'e', 'f']
  expect(shown(suggest(1n, [], namedPayers))).toEqual(
    ['a', 'b', 'c', 'd', 'e'].map((id) => `${id} payer`),
  )
})

test.each([
  // Rounded, or short by a fee.
  ...[30_000_000n, 30_009_900n - 9_999n, 29_009_900n, 27_008_910n],
  // Over by less than a cent, rounded up to a dollar more, and with the fee added.
  ...[30_010_000n, 30_019_900n, 30_020_000n, 31_000_000n, 31_009_900n, 33_010_890n],
])('%d units may be for an intent of 30.0099 USDC', (sent) => {
  expect(suggest(sent, [nearIntent('a', 30_000_000n, 30_009_900n)], [])).toHaveLength(1)
})

test.each([27_008_909n, 33_010_891n, 60_019_800n, 1n])('%d units are not', (sent) => {
  expect(suggest(sent, [nearIntent('a', 30_000_000n, 30_009_900n)], [])).toEqual([])
})

test('a dollar more is near a small amount, and 5 USDC a large amount', () => {
  const shownFor = (sent: bigint, payable: bigint) =>
    suggest(sent, [nearIntent('a', payable - 100n, payable)], []).length
  expect([shownFor(4_000_000n, 3_000_100n), shownFor(4_000_101n, 3_000_100n)]).toEqual([1, 0])
  const large = 900_000_100n
  expect([shownFor(large + 5_000_000n, large), shownFor(large + 5_000_001n, large)]).toEqual([1, 0])
})
