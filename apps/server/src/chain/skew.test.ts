import { describe, expect, test } from 'vitest'
import { chainTime, type Skew, sample } from './skew.ts'

const start = 1_900_000_000_000

const block = (number: number, timestamp: number) => {
  return { number: BigInt(number), hash: '0x1', parentHash: '0x0', timestamp } as const
}

/** What is known after blocks that came every two seconds, seen half a second later by a clock that is `off`. */
function following(off: number, blocks = 5): Skew {
  let skew: Skew | null = null
  for (let number = 0; number < blocks; number += 1) {
    const timestamp = start / 1000 + 2 * number
    skew = sample(skew, block(number, timestamp), timestamp * 1000 + 500 + off)
  }
  return skew ?? expect.fail('nothing was seen')
}

test('clocks that agree are left alone', () => {
  expect(chainTime([following(0)], start)).toMatchObject({ now: start, skewMs: 0 })
  expect(chainTime([], start)).toEqual({ now: start, earliest: start, skewMs: 0 })
})

test.each([30_000, 600_000, -30_000, -600_000])(
  'a clock that is %d ms off is corrected by the chain',
  (off) => {
    const { now, skewMs } = chainTime([following(off)], start + off)
    expect(skewMs).toBe(-off - 500)
    expect(now).toBe(start - 500)
  },
)

describe('one look alone', () => {
  test('at a block from the future says that this clock is slow', () => {
    const skew = sample(null, block(1, start / 1000 + 600), start)
    expect(chainTime([skew], start)).toMatchObject({ now: start + 600_000, skewMs: 600_000 })
  })
  test('at an old block may only say that the chain stands still', () => {
    const skew = sample(null, block(1, start / 1000 - 900), start)
    expect(chainTime([skew], start)).toEqual({ now: start, earliest: start - 900_000, skewMs: 0 })
  })
  test('does not undo what fresh blocks have shown', () => {
    const halted = sample(following(0), block(5, start / 1000 + 8), start + 900_000)
    expect(chainTime([halted], start).skewMs).toBe(0)
  })
})

test('a chain that falls behind for a while moves the earliest time, and not the time', () => {
  const behind = sample(following(0), block(5, start / 1000 - 50), start + 10_000)
  const time = chainTime([behind], start + 12_000)
  expect(time).toMatchObject({ now: start + 12_000, skewMs: 0, earliest: start - 48_000 })
  const later = sample(behind, block(6, start / 1000 + 700), start + 700_500)
  expect(chainTime([later], start + 700_500).earliest).toBe(start + 700_000)
})

test('one provider of several cannot move the time alone', () => {
  const liar = sample(null, block(1, start / 1000 + 86_400), start)
  expect(chainTime([liar, following(0)], start).skewMs).toBe(0)
})
