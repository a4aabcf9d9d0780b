import { expect, test } from 'vitest'
import { suggest } from './suggest.ts'

const near = (id: string, amount: bigint, payable: bigint) => ({ id, amount, payable })
const shown = (suggestions: ReturnType<typeof suggest>) =>
  suggestions.map(({ intentId, match }) => `${intentId} ${match}`)

test('intents of the price come first, then the nearest, and claims last, each once', () => {
  const intents = [
    near('far', 24_998_000n, 24_998_100n),
    near('close', 25_000_001n, 25_000_101n),
    near('exact', 25_000_000n, 25_000_900n),
    near('other', 90_000_000n, 90_000_100n),
  ]
  expect(shown(suggest(25_000_000n, intents, ['payer', 'close']))).toEqual([
    ...['exact price', 'close amount', 'far amount', 'payer payer'],
  ])
})

test('at most five are suggested', () => {
  const claimed = ['a', 'b', 'c', 'd', 'e', 'f']
  expect(shown(suggest(1n, [], claimed))).toEqual(
    ['a', 'b', 'c', 'd', 'e'].map((id) => `${id} payer`),
  )
})
