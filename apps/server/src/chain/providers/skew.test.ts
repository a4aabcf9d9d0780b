import { describe, expect, test } from 'vitest'
import { chainClock, type Skew, sample } from './skew.ts'

const start = 1_900_000_000_000

const block = (number: number, timestamp: number) => {
  return { number: BigInt(number), hash: '0x1', parentHash: '0x0', timestamp } as const
}

/** The estimate after blocks that came every two seconds, read half a second later by a clock that is `off`. */
function following(off: number, blocks = 5): Skew {
  let skew: Skew | null = null
  for (let number = 0; number < blocks; number += 1) {
    const timestamp = start / 1000 + 2 * number
    skew = sample(skew, block(number, timestamp), timestamp * 1000 + 500 + off)
  }
  return skew ?? expect.fail('nothing was seen')
}

/** For a database whose clock is this process's. */
const clockOf = (skews: readonly Skew[], now: number) => chainClock(skews, now, 0)

test('clocks that agree are not corrected', () => {
  expect(clockOf([following(0)], start + 9_000)).toEqual({ aheadMs: 0, minimumMs: -500 })
  expect(clockOf([], start)).toBeNull()
})

test.each([30_000, 600_000, 6_000_000, -30_000, -600_000, -6_000_000])(
  'a clock that is %d ms off is corrected by the chain',
  (off) => {
    expect(clockOf([following(off)], start + 9_000 + off)?.aheadMs).toBe(-off - 500)
  },
)

test.each([30_000, 600_000, 6_000_000, -30_000, -600_000, -6_000_000])(
  'a database’s clock that is %d ms off is corrected, whatever this process’s shows',
  (off) => {
    for (const serverSkew of [0, 600_000, -600_000]) {
      const { aheadMs } =
        chainClock([following(serverSkew)], start + 9_000 + serverSkew, off - serverSkew) ?? {}
      expect(aheadMs).toBe(-off - 500)
    }
  },
)

test('a sample older than a minute is discarded', () => {
  expect(clockOf([following(0)], start + 68_000)).not.toBeNull()
  expect(clockOf([following(0)], start + 69_000)).toBeNull()
})

describe('a single sample', () => {
  test('with a block from the future says that this clock is slow', () => {
    const skew = sample(null, block(1, start / 1000 + 600), start)
    expect(clockOf([skew], start)).toEqual({ aheadMs: 600_000, minimumMs: 600_000 })
  })
  test('with an old block may only mean that the chain stands still', () => {
    const skew = sample(null, block(1, start / 1000 - 900), start)
    expect(clockOf([skew], start)).toEqual({ aheadMs: null, minimumMs: -900_000 })
  })
  test('does not override fresh blocks', () => {
    const halted = sample(following(0), block(5, start / 1000 + 8), start + 900_000)
    expect(clockOf([halted], start + 900_000)?.aheadMs).toBe(0)
  })
})

test('a chain that falls behind for a while moves the earliest time, but not the time', () => {
  const behind = sample(following(0), block(5, start / 1000 - 50), start + 10_000)
  expect(clockOf([behind], start + 12_000)).toEqual({ aheadMs: 0, minimumMs: -60_000 })
  const later = sample(behind, block(6, start / 1000 + 700), start + 700_500)
  expect(clockOf([later], start + 700_500)?.minimumMs).toBe(-500)
})

test('one provider of several cannot move the time alone', () => {
  const liar = sample(null, block(1, start / 1000 + 86_400), start)
  expect(clockOf([liar, following(0)], start)?.aheadMs).toBe(0)
})
